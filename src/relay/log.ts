import { errorFields, failureFields, createLog, type FieldsOf, type LogHead } from "../std/log.ts"

export { errorFields, failureFields }

/** What a log line of the relay can say. There is no field for anything that it carries. */
export type LogEntry = LogHead & {
  /** The name of a server in relay.yaml. */
  readonly server?: string
  readonly code?: string
  /** Where an error was thrown: function names and positions, without its message. */
  readonly at?: string
  /** A sentence about this installation, nothing of which comes from a server. */
  readonly message?: string
}
export type Log = (entry: LogEntry) => void

/** The fields of {@link LogEntry} in the order in which a line has them. */
export const logFields: FieldsOf<LogEntry> = {
  server: true,
  code: true,
  at: true,
  message: true,
}

/** The relay's log, and what sets its level. */
export const { log, logFrom } = createLog<LogEntry>(logFields)
