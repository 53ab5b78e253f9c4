import { Fault } from "../std/fault.ts"

/** What a log line can say. There is no field for a body, a token or a key. */
export type LogEntry = {
  readonly level: "info" | "warn" | "error"
  /** What happened, in snake_case. */
  readonly event: string
  readonly method?: string
  readonly code?: string
  /** A Fault's sentence, which quotes no secret; of a bug, where it was thrown. */
  readonly message?: string | undefined
  readonly policy_hash?: string
}

/** Writes one JSON line to stderr. */
export function log(entry: LogEntry): void {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), ...entry })}\n`)
}

/** Writes what was thrown. */
export function logFailure(
  event: string,
  error: unknown,
  context: Pick<LogEntry, "method"> = {},
): void {
  const isFault = error instanceof Fault
  const message = isFault ? error.message : error instanceof Error ? error.stack : "unknown error"
  log({ level: "error", event, ...context, code: isFault ? error.code : "internal", message })
}
