// JSON-RPC 2.0 as it crosses the sockets: no batches, no notifications, parameters by name. A secret isn't among them:
// it follows the line, as bytes.

import { z } from "zod"

import { Fault, type FaultCode } from "../std/fault.ts"

export const requestSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.int().min(0),
  method: z.string().max(64),
  params: z.unknown().optional(),
  /** How many bytes of a secret follow the line, where some do. */
  secretBytes: z.int().optional(),
})
export type Request = z.infer<typeof requestSchema>

const errorSchema = z.strictObject({
  code: z.int(),
  message: z.string(),
  data: z.strictObject({ code: z.string() }).optional(),
})
export type ErrorMember = z.infer<typeof errorSchema>

const version = z.literal("2.0")
/** `more`: the result is a list of which this is a part, and the next follows. */
export const responseSchema = z.union([
  z.strictObject({
    ...{ jsonrpc: version, id: z.int().min(0), result: z.unknown() },
    more: z.literal(true).optional(),
  }),
  z.strictObject({ jsonrpc: version, id: z.int().min(0).nullable(), error: errorSchema }),
])
export type Response = z.infer<typeof responseSchema>

// JSON-RPC 2.0 §5.1, and -32000 of its range for the server's own: a Fault.
export const rpcErrors = {
  parse: { code: -32700, message: "parse error" },
  invalidRequest: { code: -32600, message: "invalid request" },
  unknownMethod: { code: -32601, message: "unknown method" },
  invalidParams: { code: -32602, message: "invalid parameters" },
} as const satisfies Record<string, ErrorMember>
const faultErrorCode = -32000

/** What crosses when a method throws: a Fault's code and sentence; of anything else only that it happened. */
export function errorOf(thrown: unknown): ErrorMember {
  return thrown instanceof Fault
    ? { code: faultErrorCode, message: thrown.message, data: { code: thrown.code } }
    : { code: faultErrorCode, message: "internal error", data: { code: "internal" } }
}

/** The Fault that an error from the other side stands for. */
export function faultOf(error: ErrorMember): Fault {
  const code = error.data?.code
  if (code !== undefined && isFaultCode(code)) return new Fault(code, error.message)
  return new Fault("link_protocol", `The other side of the socket answered "${error.message}".`)
}

function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(faultCodes, code)
}

/** Every code, so that the build fails here when one is added and could not cross. */
const faultCodes: Readonly<Record<FaultCode, true>> = {
  usage: true,
  cancelled: true,
  config_invalid: true,
  file_unsafe: true,
  not_initialised: true,
  already_initialised: true,
  passphrase_missing: true,
  passphrase_wrong: true,
  keystore_invalid: true,
  keystore_unavailable: true,
  keyring_locked: true,
  undisclosed: true,
  venue_refused: true,
  venue_unreachable: true,
  outcome_unknown: true,
  webhook_failed: true,
  keychain_locked: true,
  keychain_unavailable: true,
  keychain_mismatch: true,
  key_invalid: true,
  key_not_found: true,
  name_taken: true,
  name_unknown: true,
  already_running: true,
  daemon_running: true,
  port_in_use: true,
  port_unusable: true,
  admin_refused: true,
  not_accepted: true,
  ledger_unavailable: true,
  ledger_unusable: true,
  restore_unaccepted: true,
  vault_unavailable: true,
  clock_unsafe: true,
  signature_check_failed: true,
  link_protocol: true,
  install_failed: true,
  internal: true,
}
