import type { clientRights } from "../link/methods.ts"
import type { Address } from "../venue/address.ts"

/** A key's public side. The private one is the keyring's. */
export type KeyEntry = {
  readonly name: string
  readonly address: Address
  readonly role: "wallet" | "agent"
  /** Name of the wallet key that an agent acts for; `null` for a wallet or when it isn't held here. */
  readonly wallet: string | null
  /** Accounts it may operate besides its own address. */
  readonly targets: readonly Address[]
  /** The network it was made for (`Profile.network`). */
  readonly network: string
  readonly approval: "unknown" | "approved" | "revoked"
  /** When the venue's approval ends, as computed here. */
  readonly expiresAtMs: number | null
}

export type ClientRight = (typeof clientRights)[number]

/** A bot. Its token is kept only as SHA-256. */
export type Client = {
  readonly name: string
  /** SHA-256 of the token, lower-case hex with `0x`. */
  readonly tokenHash: string
  /** Keys it may use; the first is its default. */
  readonly keys: readonly [string, ...string[]]
  readonly rights: readonly ClientRight[]
  readonly allowTypeB: boolean
}
