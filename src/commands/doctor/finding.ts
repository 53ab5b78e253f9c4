import { Fault } from "../../std/fault.ts"
import { visible } from "../../std/visible.ts"
import { toned } from "../cli/print.ts"

/** What is looked at. Scripts read these words: they stay. */
export type Check =
  | "node"
  | "files"
  | "policy"
  | "permissions"
  | "disk"
  | "clock"
  | "daemon"
  | "signing"
  | "ledger"
  | "postgres"
  | "fleet"
  | "keys"
  | "keychain"
  | "curve"
  | "upstream"
  | "notify"

/** One thing that was found. `fix` is a command or an edit; what is ok needs none. */
export type Finding = { readonly check: Check; readonly message: string } & (
  | { readonly state: "ok"; readonly fix: null }
  | { readonly state: "warn" | "fail"; readonly fix: string }
)

/** Nothing to do. */
export function ok(check: Check, message: string): Finding {
  return { check, state: "ok", message, fix: null }
}

/** It runs, and somebody should look at it. */
export function warn(check: Check, message: string, fix: string): Finding {
  return { check, state: "warn", message, fix }
}

/** It doesn't run, or isn't safe, until this is fixed. */
export function fail(check: Check, message: string, fix: string): Finding {
  return { check, state: "fail", message, fix }
}

/** A fault as a failure. A fault's sentence may end with the command, after `run:` and not in somebody's words; else it is `fix`. */
export function failureOf(check: Check, error: unknown, fix: string): Finding {
  if (!(error instanceof Fault)) {
    const what = error instanceof Error ? error.message : "unknown error"
    return fail(check, `This couldn't be checked: ${what}.`, fix)
  }
  const [, sentence, command] =
    /^((?:[^"]|"(?:[^"\\]|\\.)*")*?)[;,] run: ([^\n]+)$/.exec(error.message) ?? []
  if (sentence === undefined || command === undefined) return fail(check, error.message, fix)
  return fail(check, `${sentence}.`, command)
}

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
