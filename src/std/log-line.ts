import { styleText } from "node:util"

import { visible } from "./visible.ts"

/** From the least to the most urgent. */
export const logLevels = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof logLevels)[number]

/** What every line has; each process adds a closed set of fields of its own. */
export type LogHead = {
  readonly level: LogLevel
  /** What happened, in snake_case. */
  readonly event: string
}

/** For programs, for people, and for people whose terminal has colours. */
export type LogForm = "json" | "words" | "coloured"

type Value = string | number
/** In the order in which they are written. */
export type LogFields = readonly (readonly [name: string, value: Value])[]

/**
 * One line of log, without its end. Whatever a value is, nothing in the line moves a cursor or begins
 * another line; as JSON it reads back as it was.
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

/** `2026-03-04 14:03:07`, where the machine is. */
function localTime(time: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0")
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-")
  return `${date} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":")}`
}
