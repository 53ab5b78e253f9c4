import { channel } from "node:diagnostics_channel"

import { errorFields, createLog, type FieldsOf, type LogHead } from "../../std/log.ts"

export { errorFields }

/** What a log line of the gate can say. There is no field for a body, a header, a token or an error's message. */
export type LogEntry = LogHead & {
  readonly method?: string
  /** The route's pattern, never the path that was asked for. */
  readonly route?: string
  readonly status?: number
  readonly code?: string
  readonly record?: string
  /** The trace id of the bot's `traceparent`. */
  readonly trace?: string
  readonly ms?: number
  readonly port?: number
  /** The name of a target of `notify`. */
  readonly target?: string
  /** Where an error was thrown: function names and positions, without its message. */
  readonly at?: string
  /** A sentence about this installation, nothing of which comes from a bot or the venue. */
  readonly message?: string
}
export type Log = (entry: LogEntry) => void

/** The fields of {@link LogEntry} in the order in which a line has them. */
export const logFields: FieldsOf<LogEntry> = {
  method: true,
  route: true,
  status: true,
  code: true,
  record: true,
  trace: true,
  ms: true,
  port: true,
  target: true,
  at: true,
  message: true,
}

/** The gate's log, and what sets its level. */
export const { log, logFrom } = createLog<LogEntry>(logFields)

/** What may be logged of why a send failed: ours is in words, what undici and TLS say has a code. */
export function causeFields(cause: unknown): { readonly code: string } {
  return { code: typeof cause === "string" ? cause.replaceAll(" ", "_") : errorFields(cause).code }
}

/** Where it is said that what could be sent of a request was sent; its report follows. */
export const sendChannel: { publish(message: { readonly stage: "sent" }): void } =
  channel("countersign.send")
