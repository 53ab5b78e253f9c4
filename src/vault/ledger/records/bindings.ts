import * as z from "zod"

import { clientRights } from "../../../link/calls/both-ways.ts"
import type { Immutable } from "../../../std/immutable.ts"
import { addressSchema } from "./fields.ts"

/** A key's public side. The private one is the keyring's. */
export type KeyEntry = Immutable<z.infer<typeof keySchema>>

export const keySchema = z.object({
  name: z.string(),
  address: addressSchema,
  role: z.enum(["wallet", "agent"]),
  /**
   * The wallet that an agent acts for: the name of a wallet key held here, or the address of one that
   * approved it from elsewhere; `null` for a wallet key, or when nobody said.
   */
  wallet: z.string().nullable(),
  /** Accounts it may operate besides its own address. */
  targets: z.array(addressSchema),
  /** The network it was made for (`Profile.network`). */
  network: z.string(),
  /**
   * What the venue and the operator said of it. From `revoked` on it never signs again: `revoked` by the venue,
   * `retired` here when another key took its place, `removed` when its secret was destroyed. Its name and address
   * stay taken for good.
   */
  approval: z.enum(["unknown", "approved", "revoked", "retired", "removed"]),
  /** When the venue's approval ends, as computed here. */
  expires_at: z.int().nullable(),
})

/** Whether a key may never sign again. */
export function hasEnded({ approval }: Pick<KeyEntry, "approval">): boolean {
  return approval === "revoked" || approval === "retired" || approval === "removed"
}

export type ClientRight = (typeof clientRights)[number]

/** A bot. Its token is kept only as SHA-256. */
export type Client = Immutable<z.infer<typeof clientSchema>>

export const clientSchema = z.object({
  name: z.string(),
  /** SHA-256 of the token, lower-case hex with `0x`; `null` once the client is revoked. */
  token_hash: z.string().nullable(),
  /** Keys it may use; the first is its default. */
  keys: z.tuple([z.string()], z.string()),
  rights: z.array(z.enum(clientRights)),
  allow_type_b: z.boolean(),
  /** No signed body is given to it: its requests are forwarded. Left out where it may have them. */
  forward_only: z.literal(true).exactOptional(),
  /** What a request of its is known by, where no header says it; left out where it is the header alone. */
  idempotency_by: z.literal("client_order_id").exactOptional(),
  /** From when on its token is refused, by the ledger's time; left out where it never is. */
  expires_at: z.int().exactOptional(),
})

/** The name under which an operator's price is recorded; no client may have it. */
export const operatorName = "operator"

/** The name under which requests are recorded that a missed heartbeat had signed; no client may have it. */
export const panicName = "panic"

/** Under which polled prices are recorded and polls counted. With its space it can be no client's, in no version. */
export const pollName = "price poll"

/** Names that `by` of a price and a request's client mean somebody else by. */
export const reservedNames: readonly string[] = [operatorName, panicName, "profile"]

/** Whether a recorded request is no bot's: no policy was asked about it, and no limit counts it. */
export function isReserved(client: string): boolean {
  return reservedNames.includes(client)
}
