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

/** What going live needs, in the order of docs/go-live.md. Scripts read these words: they stay. */
export const liveChecks = [
  "units",
  "daemon",
  "versions",
  "doctor",
  "base_url",
  "cancels",
  "symbols",
  "agents",
  "rehearsal",
  "prices",
  "clock",
  "alarms",
  "backup",
] as const
export type LiveCheck = (typeof liveChecks)[number]

/** Something that was looked at. `fix` is a command or an edit; what is ok needs none. */
type Told<Of, Otherwise> = { readonly check: Of; readonly message: string } & (
  { readonly state: "ok"; readonly fix: null } | { readonly state: Otherwise; readonly fix: string }
)

/** One thing that was found. */
export type Finding = Told<Check, "warn" | "fail">

/** One line of the checklist; what can't be known here is never ok. */
export type LiveLine = Told<LiveCheck, "missing" | "unknown">

/** Nothing to do; of what going live needs, it is there. */
export function ok<Of extends Check | LiveCheck>(check: Of, message: string): Told<Of, never> {
  return { check, state: "ok", message, fix: null }
}
export const holds = ok<LiveCheck>

/** It runs, and somebody should look at it. */
export function warn(check: Check, message: string, fix: string): Finding {
  return { check, state: "warn", message, fix }
}

/** It doesn't run, or isn't safe, until this is fixed. */
export function fail(check: Check, message: string, fix: string): Finding {
  return { check, state: "fail", message, fix }
}

/** Not before this is done. */
export function lacks(check: LiveCheck, message: string, fix: string): LiveLine {
  return { check, state: "missing", message, fix }
}

/** Nobody can tell from here; `fix` finds out. */
export function notKnown(check: LiveCheck, message: string, fix: string): LiveLine {
  return { check, state: "unknown", message: `Not known: ${message}`, fix }
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

type AnyFinding = Finding | LiveLine

const tones = {
  ok: "good",
  warn: "doubtful",
  fail: "bad",
  unknown: "doubtful",
  missing: "bad",
} as const

/** Findings for people: the worst can't be missed, and what fixes it stands below it. */
export function findingLines(findings: readonly AnyFinding[]): readonly string[] {
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

function summary(findings: readonly AnyFinding[]): string {
  const count = (state: AnyFinding["state"]) =>
    findings.filter((each) => each.state === state).length
  if (findings.every(({ state }) => state === "ok")) return "All is well."
  const isChecklist = count("missing") + count("unknown") > 0
  if (isChecklist) return `${count("missing")} missing, ${count("unknown")} not known.`
  return `${count("fail")} failed, ${count("warn")} to look at.`
}
