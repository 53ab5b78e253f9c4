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

/** One line of the checklist. `fix` is a command or an edit; what can't be known here is never ok. */
export type LiveLine = { readonly check: LiveCheck; readonly message: string } & (
  | { readonly state: "ok"; readonly fix: null }
  | { readonly state: "missing" | "unknown"; readonly fix: string }
)

/** It is there. */
export function holds(check: LiveCheck, message: string): LiveLine {
  return { check, state: "ok", message, fix: null }
}

/** Not before this is done. */
export function lacks(check: LiveCheck, message: string, fix: string): LiveLine {
  return { check, state: "missing", message, fix }
}

/** Nobody can tell from here; `fix` finds out. */
export function notKnown(check: LiveCheck, message: string, fix: string): LiveLine {
  return { check, state: "unknown", message: `Not known: ${message}`, fix }
}
