import { errorFields, createLog, type FieldsOf, type LogHead } from "../../std/log.ts"
import { Fault } from "../../std/fault.ts"
import type { Curve } from "../keyring/curve.ts"

/** What a log line of the vault can say. There is no field for a body, a token or a key. */
export type LogEntry = LogHead & {
  readonly method?: string
  readonly code?: string
  /** A sentence of ours, which quotes no secret and nothing of a request. */
  readonly message?: string | undefined
  readonly policy_hash?: string
  readonly client?: string
  /** `policy/rule` or `policy/limit`. */
  readonly rule?: string | undefined
  /** The id of what the ledger has about it. */
  readonly record?: string | undefined
  /** The library that signs. */
  readonly curve?: Curve["name"]
  /** Where a bug was thrown: function names and positions, without its message. */
  readonly at?: string
}

/** The fields of {@link LogEntry} in the order in which a line has them. */
export const logFields: FieldsOf<LogEntry> = {
  method: true,
  code: true,
  message: true,
  policy_hash: true,
  client: true,
  rule: true,
  record: true,
  curve: true,
  at: true,
}

/** The vault's log, and what sets its level. */
export const { log, logFrom } = createLog<LogEntry>(logFields)

/** Writes what was thrown. */
export function logFailure(
  event: string,
  error: unknown,
  context: Pick<LogEntry, "method"> = {},
): void {
  log({ level: "error", event, ...context, ...failureFields(error) })
}

/** What may be logged of something thrown: a Fault's sentence; of a bug, whose message could quote anything, where it was. */
export function failureFields(error: unknown): Pick<LogEntry, "code" | "message" | "at"> {
  return error instanceof Fault ? { code: error.code, message: error.message } : errorFields(error)
}
