import { stripVTControlCharacters, styleText } from "node:util"

import { Fault } from "../std/fault.ts"
import { visible } from "../std/visible.ts"
import { exitCodes, type ExitCode } from "./exit-code.ts"

export { visible }

export type Printing = { readonly json?: boolean | undefined }

/** Prints an answer: as JSON for scripts, else as the lines that `human` makes of it. */
export function print<Answer>(
  answer: Answer,
  printing: Printing,
  human: (answer: Answer) => readonly string[],
): void {
  const text = printing.json === true ? JSON.stringify(answer) : human(answer).join("\n")
  if (text !== "") process.stdout.write(`${text}\n`)
}

/** Prints why a command failed, on stdout as JSON when that was asked for, and returns its exit code. */
export function printFailure(error: unknown, printing: Printing): ExitCode {
  const fault = error instanceof Fault ? error : internalFault(error)
  if (printing.json === true) {
    process.stdout.write(
      `${JSON.stringify({ error: { code: fault.code, message: fault.message } })}\n`,
    )
  } else {
    // Of a daemon that isn't what it was, the sentence may be anything.
    const lines = fault.message.split("\n").map(visible)
    process.stderr.write(`countersign: ${lines.join("\n")}\n`)
  }
  return exitCodes[fault.code]
}

/**
 * Lays rows out in columns under their titles. Where they wouldn't fit into `width` characters, each row
 * becomes a block of lines, so that nothing is cut off and a terminal breaks no row.
 */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = process.stdout.isTTY ? process.stdout.columns : Infinity,
): readonly string[] {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))))
  const lines = all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column]))
      .join("  ")
      .trimEnd(),
  )
  return lines.every((line) => widthOf(line) <= width) ? lines : blocks(titles, rows)
}

export type Tone = "good" | "doubtful" | "bad"

const colours = { good: "green", doubtful: "yellow", bad: "red" } as const

/** A word that tells a state, in colour on a terminal unless NO_COLOR is set. */
export function toned(word: string, tone: Tone, isTerminal = process.stdout.isTTY): string {
  return isTerminal ? styleText(colours[tone], word) : word
}

function widthOf(cell = ""): number {
  return stripVTControlCharacters(cell).length
}

function padded(cell: string, width = 0): string {
  return cell + " ".repeat(width - widthOf(cell))
}

function blocks(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const titleWidth = Math.max(...titles.map(widthOf))
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.map((cell, column) => `${padded(titles[column] ?? "", titleWidth)}  ${cell}`.trimEnd()),
  ])
}

function internalFault(cause: unknown): Fault {
  const what = cause instanceof Error ? cause.message : "unknown error"
  return new Fault("internal", `This is a bug in countersign: ${what}`, { cause })
}
