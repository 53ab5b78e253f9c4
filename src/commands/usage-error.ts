import type { CommanderError } from "commander"

import { Fault } from "../std/fault.ts"

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
 * commander's words without what was typed after an option's name or in excess: a secret that was put on
 * the command line by mistake must not be repeated into a log.
 */
export function withoutValues(text: string): string {
  return text
    .replace(/(unknown option '[^'=]*)=.*?'(?=\n|$)/s, "$1=…'")
    .replace(/(but got \d+): .*\./s, "$1.")
}
