import type { LimitView } from "../../../contract/bot-views.ts"
import type { Named, Policy } from "../../../vault/policy/terms.ts"
import { addDecimals, compareDecimals, parseDecimal, zero } from "../../../venue/decimal.ts"
import { table, toned, type Line } from "../../cli/print.ts"
import { fileKeys } from "./parse-cases.ts"
import { expectedOf, guardOf, outcomeText, type CaseResult } from "./run-case.ts"

/** What came of the cases, for people. */
export function resultLines(
  results: readonly CaseResult[],
  unreached: readonly Unreached[],
): readonly Line[] {
  const failed = results.filter(({ failure }) => failure !== null)
  const rows = results.map(({ case: own, got, failure }) => [
    own.name,
    failure === null ? toned("ok", "good") : toned("FAILED", "bad"),
    outcomeText(expectedOf(own)),
    outcomeText(got),
    `${own.file}:${own.line}`,
  ])
  return [
    table(["CASE", "RESULT", "EXPECTED", "GOT", "WHERE"], rows),
    ...failed.flatMap(({ case: own, failure }) => [
      "",
      `${own.file}:${own.line}: ${own.name}: ${failure ?? ""}`,
    ]),
    "",
    `${results.length - failed.length} of ${results.length} cases are as expected.`,
    ...(unreached.length === 0
      ? ["Every rule, deny, hold, limit and guard is reached."]
      : [
          "No case reaches:",
          ...unreached.map((each) => `  ${each.kind.padEnd(5)} ${placeOf(each)}`),
        ]),
  ]
}

/** `policy/name (file:line)` */
function placeOf({ policy, entry, file, line }: Unreached): string {
  return `${policy}/${entry} (${file}:${line})`
}

/** An entry of a policy that no case reached. */
export type Unreached = {
  readonly kind: "rule" | "deny" | "hold" | "limit" | "guard" | "key"
  readonly policy: string
  readonly entry: string
  readonly file: string
  readonly line: number
}

/**
 * The entries that no case reached. A rule is reached by a case that it allows and no policy denies, a deny by one that
 * it denies, a hold by one that it holds, a limit by one that goes past its maximum, and a guard by one that it refuses. A key of the file itself, as require_idempotency, is reached as a deny is.
 */
export function unreachedBy(
  results: readonly CaseResult[],
  policies: readonly Policy[],
): readonly Unreached[] {
  const reached = new Set(results.flatMap(reachedBy))
  return policies.flatMap((policy) => {
    const { name, file } = policy
    const left = (kind: Unreached["kind"], entries: readonly Named[]): readonly Unreached[] =>
      entries
        .filter((entry) => !reached.has(`${name}/${entry.name}`))
        .map((entry) => ({ kind, policy: name, entry: entry.name, file, line: entry.line }))
    return [
      ...left("rule", policy.rules),
      ...left("deny", policy.deny),
      ...left("hold", policy.hold),
      ...left("limit", policy.limits),
      ...left("guard", policy.guards),
      ...left("key", fileKeys(policy)),
    ]
  })
}

function reachedBy({ report }: CaseResult): readonly string[] {
  const { refusal, verdicts, limits } = report
  const isDenied = refusal?.code === "policy_denied"
  const said = verdicts
    .filter(({ verdict }) => (isDenied ? verdict === "denies" : verdict !== "does_not_match"))
    .map(({ policy, rule }) => `${policy}/${rule}`)
  const past = limits.filter(isPast).map(({ policy, limit }) => `${policy}/${limit}`)
  return [...said, ...past, ...(refusal ? guardOf(refusal) : [])]
}

/** Also of a limit that only observes. */
function isPast({ used, asked, max }: LimitView): boolean {
  const [before, more, most] = [used, asked, max].map((text) => parseDecimal(text) ?? zero)
  if (before === undefined || more === undefined || most === undefined) return false
  return compareDecimals(addDecimals(before, more), most) > 0
}

/** A suite for each file of cases, as JUnit's XML has it; `required` are entries that should have been reached. */
export function junitText(
  results: readonly CaseResult[],
  required: readonly Unreached[] | undefined,
): string {
  const byFile = Map.groupBy(results, (result) => result.case.file)
  const suites = [...byFile].map(([file, own]) =>
    suite(
      file,
      own.map(({ case: { name }, failure }) => ({ name, failure })),
    ),
  )
  const coverage =
    required === undefined
      ? []
      : [
          suite(
            "coverage",
            required.map((entry) => ({
              name: `${entry.kind} ${placeOf(entry)}`,
              failure: "no case reaches it",
            })),
          ),
        ]
  const lines = [...suites, ...coverage].flat()
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    ...lines,
    "</testsuites>",
    "",
  ].join("\n")
}

type Test = { readonly name: string; readonly failure: string | null }

function suite(name: string, tests: readonly Test[]): readonly string[] {
  const failures = tests.filter(({ failure }) => failure !== null).length
  return [
    `  <testsuite name="${xml(name)}" tests="${tests.length}" failures="${failures}">`,
    ...tests.flatMap((test) => testLines(name, test)),
    "  </testsuite>",
  ]
}

function testLines(suiteName: string, { name, failure }: Test): readonly string[] {
  const head = `    <testcase classname="${xml(suiteName)}" name="${xml(name)}"`
  if (failure === null) return [`${head}/>`]
  return [`${head}>`, `      <failure message="${xml(failure)}"/>`, "    </testcase>"]
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
}

/** A text within an attribute. XML 1.0 has no place for other control characters and for halves of a character. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[&<>"\n\t]/g, (character) => references[character] ?? "")
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, "\uFFFD")
}
