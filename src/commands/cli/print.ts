import { styleText, stripVTControlCharacters } from "node:util"

import { Fault } from "../../std/fault.ts"
import { visible, visibleLines } from "../../std/visible.ts"
import { exitCodes, type ExitCode } from "./exit-code.ts"
import type { Output, Terminal } from "./terminal.ts"

export type Printing = {
  readonly terminal: Terminal
  /** For scripts, in place of people. */
  readonly json: boolean
}

/** Prints an answer: as JSON for scripts, else as the lines that `human` makes of it. */
export function print<Answer>(
  answer: Answer,
  { terminal, json }: Printing,
  human: (answer: Answer) => readonly Line[],
): void {
  const text = json ? jsonText(answer) : shownText(human(answer), terminal)
  if (text !== "") terminal.stdout.write(`${text}\n`)
}

/** Lines for people, as this terminal shows them. */
export function shownText(lines: readonly Line[], { stdout, complete }: Terminal): string {
  return textOf(changed(lines, complete), screenOf(stdout))
}

/** Prints why a command failed, on standard output as JSON where that was asked for, and returns its exit code. */
export function printFailure(error: unknown, { terminal, json }: Printing): ExitCode {
  const { code, message: said } = error instanceof Fault ? error : internalFault(error)
  const message = terminal.complete(said)
  if (json) {
    terminal.stdout.write(`${jsonText({ error: { code, message } })}\n`)
  } else {
    // Of a daemon that isn't what it was, the sentence may be anything.
    terminal.stderr.write(`countersign: ${visibleLines(message)}\n`)
  }
  return exitCodes[code]
}

/** One line of JSON. It may be read on a terminal, so what would move its cursor is written as JSON escapes it. */
export function jsonText(value: unknown): string {
  return visible(JSON.stringify(value))
}

/** A step that is done, on standard error, so that what --json prints stays alone on standard output. */
export function tell({ stderr, complete }: Terminal, line: string): void {
  stderr.write(`${complete(line)}\n`)
}

/** Colours are for terminals alone, unless NO_COLOR or TERM=dumb is set. */
function screenOf(stdout: Output) {
  const isTerminal = stdout.isTTY === true
  const word = "colour"
  return {
    /** In characters; none but a terminal has an end. */
    width: isTerminal ? (stdout.columns ?? Infinity) : Infinity,
    hasColours: isTerminal && styleText("green", word, { stream: stdout }) !== word,
  }
}

function internalFault(cause: unknown): Fault {
  const what = cause instanceof Error ? cause.message : "unknown error"
  return new Fault("internal", `This is a bug in countersign: ${what}`, { cause })
}

/** What a command prints for people. */
export type Line = string | Table

/** Rows under titles, in columns as wide as they need. */
type Table = {
  readonly titles: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function table(titles: Table["titles"], rows: Table["rows"]): Table {
  return { titles, rows }
}

/** The lines with all their texts as `change` makes them. */
function changed(lines: readonly Line[], change: (text: string) => string): readonly Line[] {
  return lines.map((line) => {
    if (typeof line === "string") return change(line)
    return table(
      line.titles,
      line.rows.map((row) => row.map(change)),
    )
  })
}

/** The lines as they look on a screen. */
export function textOf(
  lines: readonly Line[],
  { width, hasColours }: ReturnType<typeof screenOf>,
): string {
  const laidOut = lines.flatMap((line) => (typeof line === "string" ? line : layOut(line, width)))
  const text = laidOut.join("\n")
  return hasColours ? text : stripVTControlCharacters(text)
}

const colours = { good: "green", doubtful: "yellow", bad: "red" } as const

/** A word that tells a state, in colour where a screen has some. */
export function toned(word: string, tone: keyof typeof colours): string {
  return styleText(colours[tone], word, { validateStream: false })
}

/** Where a table doesn't fit, each row becomes a block of lines, so that nothing is cut off and a terminal breaks no row. */
function layOut({ titles, rows }: Table, width: number): readonly string[] {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => widthOf(row[column]))))
  const lines = all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column]))
      .join("  ")
      .trimEnd(),
  )
  if (lines.every((line) => widthOf(line) <= width)) return lines
  return rows.flatMap((row) => block(titles, row, width))
}

function widthOf(cell = ""): number {
  return stripVTControlCharacters(cell).length
}

function padded(cell: string, width = 0): string {
  return cell + " ".repeat(width - widthOf(cell))
}

/** Each cell after its title, as many on a line as fit; what goes on is indented. */
function block(
  titles: readonly string[],
  row: readonly string[],
  width: number,
): readonly string[] {
  const lines: string[] = []
  for (const [column, cell] of row.entries()) {
    const told = `${titles[column] ?? ""} ${cell}`.trim()
    const longer = `${lines.at(-1) ?? ""}  ${told}`
    if (lines.length === 0) lines.push(told)
    else if (widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(`  ${told}`)
  }
  return lines
}
