import type { clientRights } from "../../../link/calls/methods.ts"
import type { Address } from "../../../venue/address.ts"

/** A key's public side. The private one is the keyring's. */
export type KeyEntry = {
  readonly name: string
  readonly address: Address
  readonly role: "wallet" | "agent"
  /**
   * The wallet that an agent acts for: the name of a wallet key held here, or the address of one that
   * approved it from elsewhere; `null` for a wallet key, or when nobody said.
   */
  readonly wallet: string | null
  /** Accounts it may operate besides its own address. */
  readonly targets: readonly Address[]
  /** The network it was made for (`Profile.network`). */
  readonly network: string
  readonly approval: Approval
  /** When the venue's approval ends, as computed here. */
  readonly expiresAtMs: number | null
}

/**
 * What the venue and the operator said of a key. From `revoked` on it never signs again: `revoked` by the
 * venue, `retired` here when another key took its place, `removed` when its secret was destroyed. Its
 * name and address stay taken for good.
 */
export type Approval = "unknown" | "approved" | "revoked" | "retired" | "removed"

/** Whether a key may never sign again. */
export function hasEnded({ approval }: Pick<KeyEntry, "approval">): boolean {
  return approval === "revoked" || approval === "retired" || approval === "removed"
}

/** A list of names with `to` where `from` stood; a name stands in it once. */
export function replaceName(names: readonly string[], from: string, to: string): readonly string[] {
  return [...new Set(names.map((name) => (name === from ? to : name)))]
}

export type ClientRight = (typeof clientRights)[number]

/** A bot. Its token is kept only as SHA-256. */
export type Client = {
  readonly name: string
  /** SHA-256 of the token, lower-case hex with `0x`; `null` once the client is revoked. */
  readonly tokenHash: string | null
  /** Keys it may use; the first is its default. */
  readonly keys: readonly [string, ...string[]]
  readonly rights: readonly ClientRight[]
  readonly allowTypeB: boolean
  /** What a request of its is known by, where no header says it. */
  readonly idempotencyBy: "header" | "client_order_id"
  /** From when on its token is refused, by the ledger's time; left out where it never is. */
  readonly expiresAtMs?: number
}

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
