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

/** An answer. `more`: the result is a list of which this is a part, and the next follows. */
export type Response =
  | { readonly id: number; readonly result: unknown; readonly more?: true }
  | { readonly id: number | null; readonly error: ErrorMember }

const failedSchema = z.strictObject({
  ...{ jsonrpc: z.literal("2.0"), id: z.int().min(0).nullable(), error: errorSchema },
})

/** What the other side answered; `undefined` when it is no answer. Its results are as methods.ts describes them. */
export function parseResponse(value: unknown): Response | undefined {
  if (typeof value !== "object" || value === null) return undefined
  // By hand, for a schema's check of each answer costs more than all else that is done with it here.
  return "result" in value ? resultOf(value) : failedSchema.safeParse(value).data
}

function resultOf(value: object): Response | undefined {
  const { jsonrpc, id, result, more } = value as Readonly<Record<string, unknown>>
  const isOurs = jsonrpc === "2.0" && Object.keys(value).length === (more === undefined ? 3 : 4)
  if (!isOurs || !isId(id)) return undefined
  if (more === undefined) return { id, result }
  return more === true ? { id, result, more } : undefined
}

function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && Number(id) >= 0
}

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
