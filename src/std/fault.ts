/**
 * Why a job failed. (Why a request was refused is a `Refusal`.)
 *
 * `commands/cli/exit-code.ts` gives each code an exit code. Bots see few of these codes.
 */
export const faultCodes = [
  "usage",
  "cancelled",
  "config_invalid",
  "file_unsafe",
  "not_initialised",
  "already_initialised",
  "passphrase_missing",
  "passphrase_wrong",
  "keystore_invalid",
  "keystore_unavailable",
  "keyring_locked",
  "undisclosed",
  "venue_refused",
  "venue_unreachable",
  "outcome_unknown",
  "webhook_failed",
  "keychain_locked",
  "keychain_unavailable",
  "keychain_mismatch",
  "key_invalid",
  "key_not_found",
  "name_taken",
  "name_unknown",
  "already_running",
  "daemon_running",
  "port_in_use",
  "port_unusable",
  "admin_refused",
  "not_accepted",
  "ledger_unavailable",
  "ledger_unusable",
  "restore_unaccepted",
  "vault_unavailable",
  "clock_unsafe",
  "signature_check_failed",
  "link_protocol",
  "install_failed",
  "internal",
] as const
export type FaultCode = (typeof faultCodes)[number]

/** The only error class. `message` is a plain sentence that says what to do. It never quotes a secret. */
export class Fault extends Error {
  override readonly name = "Fault"
  readonly code: FaultCode

  constructor(code: FaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
