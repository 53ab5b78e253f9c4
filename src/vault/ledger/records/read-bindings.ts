import * as z from "zod"

import { clientRights } from "../../../link/calls/methods.ts"
import { Fault } from "../../../std/fault.ts"
import { parseAddress, type Address } from "../../../venue/address.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { ClientFields, KeyFields } from "./row.ts"

/** Reads a key as it was stored. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readKey(fields: KeyFields): KeyEntry {
  const { expires_at: expiresAtMs, ...rest } = parseStored(keySchema, fields, "key")
  return { ...rest, expiresAtMs }
}

/** Reads a client as it was stored. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readClient(fields: ClientFields): Client {
  const parsed = parseStored(clientSchema, fields, "client")
  const [first, ...others] = parsed.keys
  return {
    name: parsed.name,
    tokenHash: parsed.token_hash,
    keys: [first, ...others],
    rights: parsed.rights,
    allowTypeB: parsed.allow_type_b,
    idempotencyBy: parsed.idempotency_by ?? "header",
    ...(parsed.expires_at !== undefined && { expiresAtMs: parsed.expires_at }),
  }
}

const address = z.string().transform((text, context): Address => {
  const parsed = parseAddress(text)
  if (parsed !== undefined) return parsed
  context.addIssue("not an address")
  return z.NEVER
})

export const keySchema = z.object({
  name: z.string(),
  address,
  role: z.enum(["wallet", "agent"]),
  wallet: z.string().nullable(),
  targets: z.array(address),
  network: z.string(),
  approval: z.enum(["unknown", "approved", "revoked", "retired", "removed"]),
  expires_at: z.int().nullable(),
})

export const clientSchema = z.object({
  name: z.string(),
  token_hash: z.string().nullable(),
  keys: z.tuple([z.string()], z.string()),
  rights: z.array(z.enum(clientRights)),
  allow_type_b: z.boolean(),
  idempotency_by: z.literal("client_order_id").optional(),
  expires_at: z.int().optional(),
})

function parseStored<Value>(
  schema: z.ZodType<Value>,
  fields: KeyFields | ClientFields,
  what: string,
): Value {
  const parsed = schema.safeParse(fields)
  if (parsed.success) return parsed.data
  throw new Fault(
    "ledger_unusable",
    `The ledger's entry of the ${what} ${fields.name} can't be read; restore the ledger from a back-up.`,
  )
}
