import { styleText } from "node:util"

import { Fault } from "../../std/fault.ts"
import { visible, visibleLines } from "../../std/visible.ts"
import { exitCodes, type ExitCode } from "./exit-code.ts"
import { changed, textOf, type Line, type Screen } from "./lines.ts"
import type { Output } from "./streams.ts"
import type { Terminal } from "./terminal.ts"

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
function screenOf(stdout: Output): Screen {
  const isTerminal = stdout.isTTY === true
  const word = "colour"
  return {
    width: isTerminal ? (stdout.columns ?? Infinity) : Infinity,
    hasColours: isTerminal && styleText("green", word, { stream: stdout }) !== word,
  }
}

function internalFault(cause: unknown): Fault {
  const what = cause instanceof Error ? cause.message : "unknown error"
  return new Fault("internal", `This is a bug in countersign: ${what}`, { cause })
}
