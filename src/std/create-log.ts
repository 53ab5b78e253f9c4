import { logLevels, logLine, type LogFields, type LogHead, type LogLevel } from "./log-line.ts"
import { logOut, type LogOut } from "./log-out.ts"

/** Every field of an entry besides its level and event: none can be forgotten, and none added. */
export type FieldsOf<Entry extends LogHead> = Readonly<
  Record<Exclude<keyof Entry & string, keyof LogHead>, true>
>

export type OpenLog<Entry extends LogHead> = {
  readonly log: (entry: Entry) => void
  /** From now on only this level and the more urgent ones are written. */
  readonly logFrom: (level: LogLevel) => void
}

/** Writes entries from `info` up, of each the fields that are named, in their order and no others. */
export function createLog<Entry extends LogHead>(
  fields: FieldsOf<Entry>,
  open: () => LogOut = logOut,
): OpenLog<Entry> {
  const names = Object.keys(fields)
  let minimum: LogLevel = "info"
  let out: LogOut | undefined // asked for once: a process keeps what it writes to
  return {
    log(entry) {
      if (logLevels.indexOf(entry.level) < logLevels.indexOf(minimum)) return
      out ??= open()
      out.write(logLine(entry, told(entry, names), out.form), entry.level)
    },
    logFrom(level) {
      minimum = level
    },
  }
}

function told(entry: LogHead, names: readonly string[]): LogFields {
  const values = entry as Readonly<Record<string, string | number | undefined>> // all that entries have
  return names.flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [[name, value] as const]
  })
}
