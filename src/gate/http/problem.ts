import type { Refusal } from "../../link/views/refusal.ts"
import { Fault, type FaultCode } from "../../std/fault.ts"
import type { ErrorCode } from "./error-response.ts"

/** Why a bot gets no signature and no answer of the venue. */
export type Problem = {
  readonly code: ErrorCode
  /** One plain sentence that says what to do. */
  readonly message: string
  readonly data?: object
  readonly record?: string
  /** The methods of a route that was called with another. */
  readonly allow?: string
}

/** A request's header or first line that can't be acted on; `header` names it. */
export function invalidHeader(header: string, message: string): Problem {
  return { code: "invalid_header", message, data: { header } }
}

/** The vault's refusal, with the record it made of it. */
export function refusedByVault(refusal: Refusal, record: string | null): Problem {
  return {
    code: refusal.code,
    message: refusal.message,
    ...(refusal.data !== null && { data: refusal.data }),
    ...(record !== null && { record }),
  }
}

/**
 * What a bot learns when something broke. The sentence is the gate's own: a Fault's may name files
 * and sockets of this machine.
 */
export function problemOf(thrown: unknown): Problem {
  if (!(thrown instanceof Fault)) return botFaults.internal
  return isBotFault(thrown.code) ? botFaults[thrown.code] : botFaults.internal
}

const ledgerUnavailable: Problem = {
  code: "ledger_unavailable",
  message: "Nothing can be recorded, so nothing is signed; the vault's log says why.",
}

/** The Faults that a bot is told apart; every other is `internal`. */
const botFaults = {
  vault_unavailable: {
    code: "vault_unavailable",
    message: "The vault doesn't answer, so nothing is signed; see `countersign status`.",
  },
  keyring_locked: {
    code: "locked",
    message:
      "The keys are locked, so nothing is signed; the operator has to run countersign unlock.",
  },
  ledger_unavailable: ledgerUnavailable,
  ledger_unusable: ledgerUnavailable,
  clock_unsafe: {
    code: "clock_unsafe",
    message:
      "The clock can't be trusted, so only cancels and reduce-only orders are signed; see `countersign status`.",
  },
  signature_check_failed: {
    code: "signature_check_failed",
    message: "A signature failed its check and was thrown away; have the machine's memory checked.",
  },
  internal: {
    code: "internal",
    message: "Something failed inside countersign; its log says more.",
  },
} as const satisfies Partial<Record<FaultCode, Problem>>

/** The problem of a vault that isn't there. */
export const vaultUnavailable: Problem = botFaults.vault_unavailable

function isBotFault(code: FaultCode): code is keyof typeof botFaults {
  return Object.hasOwn(botFaults, code)
}
