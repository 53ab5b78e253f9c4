import { Fault } from "../std/fault.ts"
import { exitCodes, type ExitCode } from "./exit-code.ts"

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
    process.stderr.write(`countersign: ${fault.message}\n`)
  }
  return exitCodes[fault.code]
}

/** Lays rows out in columns under their titles. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

function internalFault(cause: unknown): Fault {
  const what = cause instanceof Error ? cause.message : "unknown error"
  return new Fault("internal", `This is a bug in countersign: ${what}`, { cause })
}
