import { styleText } from "node:util"
import { fstatSync } from "node:fs"

import { Fault } from "./fault.ts"
import { visible } from "./visible.ts"

/** Every field of an entry besides its level and event. The type lets none be forgotten or added. */
export type FieldsOf<Entry extends LogHead> = Readonly<
  Record<Exclude<keyof Entry & string, keyof LogHead>, true>
>

/** Writes entries from `info` up. Of each entry it writes only the fields that are named, in their order. */
export function createLog<Entry extends LogHead>(
  fields: FieldsOf<Entry>,
  open: () => LogOut = logOut,
) {
  const names = Object.keys(fields)
  let minimum: LogLevel = "info"
  let out: LogOut | undefined // asked for once: a process keeps what it writes to
  return {
    log: (entry: Entry): void => {
      if (logLevels.indexOf(entry.level) < logLevels.indexOf(minimum)) return
      out ??= open()
      out.write(logLine(entry, told(entry, names), out.form), entry.level)
    },
    /** From now on, only this level and more urgent ones are written. */
    logFrom: (level: LogLevel): void => {
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

/** The environment variable with the log level. */
export const logLevelVariable = "COUNTERSIGN_LOG_LEVEL"

/** The log level in the environment, `info` by default. @throws {Fault} `usage` */
export function readLogLevel(environment: NodeJS.ProcessEnv = process.env): LogLevel {
  const asked = environment[logLevelVariable] ?? "info"
  const level = logLevels.find((each) => each === asked)
  if (level !== undefined) return level
  throw new Fault("usage", `${logLevelVariable} must be debug, info, warn or error.`)
}

/** From the least to the most urgent. */
export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

/** What every line has. Each process adds a closed set of its own fields. */
export type LogHead = {
  readonly level: LogLevel
  /** What happened, in snake_case. */
  readonly event: string
}

/** For programs, for people, and for people whose terminal has colours. */
export type LogForm = "json" | "words" | "coloured"

/** In the order in which they are written. */
export type LogFields = readonly (readonly [name: string, value: string | number])[]

/**
 * One line of log, without its newline. No value can move a cursor or begin another line. In JSON, values parse
 * back unchanged.
 */
export function logLine({ level, event }: LogHead, fields: LogFields, form: LogForm): string {
  const now = new Date()
  if (form === "json") {
    const time = now.toISOString()
    return visible(JSON.stringify({ time, level, event, ...Object.fromEntries(fields) }))
  }
  const named = fields.filter(([name]) => name !== "message").map(assigned)
  const message = fields.find(([name]) => name === "message")?.[1]
  const word = form === "coloured" ? coloured(level) : level
  const indent = " ".repeat("error".length - level.length)
  return [
    `${localTime(now)} ${word}${indent}`,
    event.replaceAll("_", " "),
    ...(named.length === 0 ? [] : [named.join(" ")]),
    ...(message === undefined ? [] : [visible(String(message))]),
  ].join("  ")
}

const colours = { debug: "gray", info: undefined, warn: "yellow", error: "red" } as const

function coloured(level: LogLevel): string {
  const colour = colours[level]
  return colour === undefined ? level : styleText(colour, level, { validateStream: false })
}

function assigned([name, value]: LogFields[number]): string {
  const text = String(value)
  // Quoted where it could be taken for two, or for the message.
  return `${name}=${visible(/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text))}`
}

/** `2026-03-04 14:03:07`, in the machine's time zone. */
function localTime(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0")
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-")
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`
}

/** Where a process writes its lines of log, and in what form. */
type LogOut = {
  readonly form: LogForm
  readonly write: (line: string, level: LogLevel) => void
}

/** The journal, if stdout goes there; if not, stderr, in words on a terminal. */
function logOut(): LogOut {
  if (isUnderJournal()) {
    return {
      form: "json",
      write: (line, level) => void process.stdout.write(`${journalPrefix(level)}${line}\n`),
    }
  }
  const { stderr } = process
  const words = (): LogForm => (stderr.hasColors() ? "coloured" : "words") // NO_COLOR says no
  return {
    form: stderr.isTTY ? words() : "json",
    write: (line) => void stderr.write(`${line}\n`),
  }
}

/** What may be logged of an error: its code or name, and where. Its message could quote input. */
export function errorFields(thrown: unknown): { readonly code: string; readonly at?: string } {
  if (!(thrown instanceof Error)) return { code: typeof thrown }
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "))
  const at = frames?.slice(0, 4).join(" ").replaceAll(/\s+/g, " ").trim()
  return at === undefined ? { code } : { code, at }
}

/** What may be logged of something thrown: a Fault's sentence; of a bug, whose message could quote anything, where it was. */
export function failureFields(
  error: unknown,
): ReturnType<typeof errorFields> & { readonly message?: string } {
  return error instanceof Fault ? { code: error.code, message: error.message } : errorFields(error)
}

// sd-daemon(3): err, warning, info, debug.
const priorities = { error: 3, warn: 4, info: 6, debug: 7 } as const

/** The prefix of a line that tells the journal its priority. */
export function journalPrefix(level: keyof typeof priorities): string {
  return `<${priorities[level]}>`
}

/**
 * Whether stdout goes to the journal. `JOURNAL_STREAM` names the stream's device and inode, systemd.exec(5). Both
 * are compared, because a child process with another stdout inherits the variable too.
 */
export function isUnderJournal(environment: NodeJS.ProcessEnv = process.env): boolean {
  const { dev, ino } = fstatSync(process.stdout.fd, { bigint: true })
  return environment["JOURNAL_STREAM"] === `${dev}:${ino}`
}
