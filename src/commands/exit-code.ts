import { assertNever } from "../std/assert-never.ts"
import type { FaultCode } from "../std/fault.ts"

export type ExitCode = 0 | 1 | 2 | 3 | 4

/** The single place where a fault becomes an exit code: 1 failed, 2 usage, 3 refused, 4 unavailable. */
export function exitCodeOf(code: FaultCode): ExitCode {
  switch (code) {
    case "usage":
      return 2
    case "admin_refused":
      return 3
    case "vault_unavailable":
    case "ledger_unavailable":
    case "keyring_locked":
    case "daemon_running":
      return 4
    case "config_invalid":
    case "file_unsafe":
    case "not_initialised":
    case "already_initialised":
    case "passphrase_missing":
    case "passphrase_wrong":
    case "keystore_invalid":
    case "keystore_unavailable":
    case "key_invalid":
    case "key_not_found":
    case "name_taken":
    case "name_unknown":
    case "already_running":
    case "port_in_use":
    case "port_unusable":
    case "clock_unsafe":
    case "signature_check_failed":
    case "link_protocol":
    case "internal":
      return 1
    default:
      return assertNever(code, "fault code")
  }
}
