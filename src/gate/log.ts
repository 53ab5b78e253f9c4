/** What a log line can say. There is no field for a body, a header, a token or an error's message. */
export type LogEntry = {
  readonly level: "debug" | "info" | "warn" | "error"
  /** What happened, in snake_case. */
  readonly event: string
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
  /** Where an error was thrown: function names and positions, without its message. */
  readonly at?: string
  /** A sentence about this installation, of fixed words. */
  readonly warning?: string
}
export type Log = (entry: LogEntry) => void

type Write = (line: string, level: LogEntry["level"]) => void

const levels = { debug: 0, info: 1, warn: 2, error: 3 }

/** Writes entries from `minimum` up as JSON lines. */
export function createLog(minimum: LogEntry["level"], write: Write): Log {
  return (entry) => {
    if (levels[entry.level] < levels[minimum]) return
    const { level, event, method, route, status, code, record, trace, ms, port, at, warning } =
      entry
    const time = new Date().toISOString()
    const known = { method, route, status, code, record, trace, ms, port, at, warning }
    write(`${JSON.stringify({ time, level, event, ...known })}\n`, level)
  }
}

/** What may be logged of why a send failed: ours is in words, what undici and TLS say has a code. */
export function causeFields(cause: unknown): { readonly code: string } {
  return { code: typeof cause === "string" ? cause.replaceAll(" ", "_") : errorFields(cause).code }
}

/** What may be logged of something thrown: its code or name, and where; its message could quote input. */
export function errorFields(thrown: unknown): { readonly code: string; readonly at?: string } {
  if (!(thrown instanceof Error)) return { code: typeof thrown }
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "))
  const at = frames?.slice(0, 4).join(" ").replaceAll(/\s+/g, " ").trim()
  return at === undefined ? { code } : { code, at }
}
