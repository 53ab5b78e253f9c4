import type { Refusal } from "../../../link/views/refusal.ts"
import type { CheckReport } from "../../../link/views/views.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
import { judgeCase } from "./judge-case.ts"
import type { CaseFile, PolicyCase } from "./parse-cases.ts"

/** What became of a case, or should have. */
export type Outcome = {
  readonly verdict: "allow" | "hold" | "deny"
  /** `policy/name` of the entries that said so; of what is expected at most one. */
  readonly rules: readonly string[]
  /** Why it is denied. */
  readonly reason: string | null
}

/** A case that was judged. */
export type CaseResult = {
  readonly case: PolicyCase
  readonly got: Outcome
  /** What is wrong, in a sentence; `null` where the case is as expected. */
  readonly failure: string | null
  readonly report: CheckReport
}

/** Judges a case, and holds what became of it against what it expects. */
export function runCase(written: PolicyCase, { keys }: CaseFile, files: FileSet): CaseResult {
  const report = judgeCase(written, keys, files)
  const got = outcomeOf(report)
  return { case: written, got, failure: failureOf(written, got, report.refusal), report }
}

/** What a case expects, as far as it says. */
export function expectedOf({ expect, rule, reason }: PolicyCase): Outcome {
  return { verdict: expect, rules: rule === undefined ? [] : [rule], reason: reason ?? null }
}

export function outcomeText({ verdict, rules, reason }: Outcome): string {
  const by = rules.length === 0 ? "" : ` (${rules.join(", ")})`
  return `${verdict}${reason === null ? "" : ` ${reason}`}${by}`
}

function outcomeOf({ refusal, verdicts }: CheckReport): Outcome {
  const saying = (word: string): readonly string[] =>
    verdicts
      .filter(({ verdict }) => verdict === word)
      .map(({ policy, rule }) => `${policy}/${rule}`)
  if (refusal === null) return { verdict: "allow", rules: saying("allows"), reason: null }
  if (refusal.code === "approval_required") {
    return { verdict: "hold", rules: saying("holds"), reason: null }
  }
  return { verdict: "deny", ...denialOf(refusal) }
}

function denialOf(refusal: Refusal): Pick<Outcome, "rules" | "reason"> {
  if (refusal.code === "policy_denied") {
    const { policy, rule, reason } = refusal.data
    return { reason, rules: policy === null ? [] : [`${policy}/${rule ?? ""}`] }
  }
  if (refusal.code !== "limit_exhausted") return { reason: refusal.code, rules: [] }
  return { reason: refusal.code, rules: [`${refusal.data.policy}/${refusal.data.limit}`] }
}

function failureOf(written: PolicyCase, got: Outcome, refusal: Refusal | null): string | null {
  const expected = expectedOf(written)
  const why = refusal === null ? "" : `: ${refusal.message}`
  const told = `expected ${outcomeText(expected)}, got ${outcomeText(got)}${why}`
  if (!isAsExpected(got, expected)) return told
  if (refusal === null || saidByPolicy.includes(refusal.code) || expected.reason !== null) {
    return null
  }
  // A body with a slip is refused before any policy is asked, which shows nothing of policies.
  return `${told} No policy refused it; if the case means this refusal, name its reason`
}

const saidByPolicy: readonly Refusal["code"][] = [
  "policy_denied",
  "limit_exhausted",
  "approval_required",
]

function isAsExpected(got: Outcome, { verdict, rules, reason }: Outcome): boolean {
  return (
    got.verdict === verdict &&
    rules.every((rule) => got.rules.includes(rule)) &&
    (reason === null || got.reason === reason)
  )
}
