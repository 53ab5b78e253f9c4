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
  | "ledger"
  | "keys"
  | "keychain"
  | "curve"
  | "upstream"

/** One thing that was found. `mend` is a command or an edit; what is ok needs none. */
export type Finding = { readonly check: Check; readonly message: string } & (
  | { readonly state: "ok"; readonly mend: null }
  | { readonly state: "warn" | "fail"; readonly mend: string }
)

/** Nothing to do. */
export function ok(check: Check, message: string): Finding {
  return { check, state: "ok", message, mend: null }
}

/** It runs, and somebody should look at it. */
export function warn(check: Check, message: string, mend: string): Finding {
  return { check, state: "warn", message, mend }
}

/** It doesn't run, or isn't safe, until this is mended. */
export function fail(check: Check, message: string, mend: string): Finding {
  return { check, state: "fail", message, mend }
}

/** A fault as a failure. A fault's sentence may end with the command, after `run:`; else it is `mend`. */
export function failureOf(check: Check, error: unknown, mend: string): Finding {
  if (!(error instanceof Fault)) {
    const what = error instanceof Error ? error.message : "unknown error"
    return fail(check, `This couldn't be looked at: ${what}.`, mend)
  }
  const [, sentence, command] = /^([^]*?)[;,] run: ([^\n]+)$/.exec(error.message) ?? []
  if (sentence === undefined || command === undefined) return fail(check, error.message, mend)
  return fail(check, `${sentence}.`, command)
}
