import { visible } from "../../std/visible.ts"
import { toned } from "../cli/lines.ts"

/** Something that was looked at, and what to do about it. */
type Told = {
  readonly check: string
  readonly state: keyof typeof tones
  readonly message: string
  readonly fix: string | null
}

const tones = {
  ok: "good",
  warn: "doubtful",
  fail: "bad",
  unknown: "doubtful",
  missing: "bad",
} as const

/** Findings for people: the worst can't be missed, and what fixes it stands below it. */
export function findingLines(findings: readonly Told[]): readonly string[] {
  const [states, checks] = [
    widest(findings.map(({ state }) => state)),
    widest(findings.map(({ check }) => check)),
  ]
  const lines = findings.flatMap(({ check, state, message, fix }) => [
    `${toned(state, tones[state])}${" ".repeat(states - state.length)}  ${check.padEnd(checks)}  ${visible(message)}`,
    ...(fix === null ? [] : [`${" ".repeat(states + 2 + checks)}  fix: ${visible(fix)}`]),
  ])
  return [...lines, "", summary(findings)]
}

function widest(words: readonly string[]): number {
  return Math.max(...words.map(({ length }) => length))
}

function summary(findings: readonly Told[]): string {
  const count = (state: Told["state"]) => findings.filter((each) => each.state === state).length
  if (findings.every(({ state }) => state === "ok")) return "All is well."
  const isChecklist = count("missing") + count("unknown") > 0
  if (isChecklist) return `${count("missing")} missing, ${count("unknown")} not known.`
  return `${count("fail")} failed, ${count("warn")} to look at.`
}
