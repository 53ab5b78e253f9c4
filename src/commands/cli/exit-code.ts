import type { CommanderError } from "commander"

import { Fault, type FaultCode } from "../../std/fault.ts"

export type ExitCode = 0 | 1 | 2 | 3 | 4 | typeof waitsExitCode

/** What became of a request that was only asked about: it would be refused, or wait for a person. */
export const refusedExitCode = 3
export const waitsExitCode = 5

/** The single place where a fault becomes an exit code: 1 failed, 2 usage, 3 refused, 4 unavailable. */
export const exitCodes = {
  usage: 2,
  admin_refused: 3,
  not_accepted: 3,
  undisclosed: 3,
  venue_refused: 3,
  venue_unreachable: 4,
  outcome_unknown: 1,
  webhook_failed: 1,
  vault_unavailable: 4,
  ledger_unavailable: 4,
  ledger_unusable: 4,
  restore_unaccepted: 4,
  keyring_locked: 4,
  keychain_locked: 4,
  keychain_unavailable: 4,
  daemon_running: 4,
  cancelled: 1,
  config_invalid: 1,
  file_unsafe: 1,
  not_initialised: 1,
  already_initialised: 1,
  passphrase_missing: 1,
  passphrase_wrong: 1,
  keystore_invalid: 1,
  keystore_unavailable: 1,
  keychain_mismatch: 1,
  key_invalid: 1,
  key_not_found: 1,
  name_taken: 1,
  name_unknown: 1,
  already_running: 1,
  port_in_use: 1,
  port_unusable: 1,
  clock_unsafe: 1,
  signature_check_failed: 1,
  link_protocol: 1,
  install_failed: 1,
  internal: 1,
} as const satisfies Readonly<Record<FaultCode, ExitCode>>

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
