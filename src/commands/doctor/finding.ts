import { Fault } from "../../std/fault.ts"

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
