import type { CommanderError } from "commander"

import { Fault } from "../../std/fault.ts"

/** What was wrong with the command line, as a fault that scripts can read. */
export function usageFault({ message }: CommanderError): Fault {
  // commander's own words for a group that was called without a command.
  if (message === "(outputHelp)") {
    return new Fault("usage", "A command is missing; --help shows what there is.")
  }
  return new Fault(
    "usage",
    withoutValues(message)
      .replace(/^error: /, "")
      .replaceAll("\n", " "),
  )
}

/**
 * commander's words without what was typed as a value, in excess, or in place of a command or option that
 * it can't be a slip of: a secret that was put on the command line by mistake must not be repeated into a log.
 */
export function withoutValues(text: string): string {
  return text
    .replace(/(unknown option '--?[a-z-]{1,24})=.*'(?=\n\(Did|\n?$)/s, "$1=…'")
    .replace(/(unknown option) '(?!--?[a-z-]{1,24}(?:=…)?'(?:\n|$)).*'(?=\n\(Did|\n?$)/s, "$1 '…'")
    .replace(/(unknown command) '(?![a-z-]{1,24}'(?:\n|$)).*'(?=\n\(Did|\n?$)/s, "$1 '…'")
    .replace(/(but got \d+): .*\./s, "$1.")
    .replace(/( (?:argument|value)) '.*' is invalid/s, "$1 '…' is invalid")
}
