import { generateKeyPairSync } from "node:crypto"

import type { LedgerKey } from "../../src/vault/ledger/store/audit-queries.ts"

/** A ledger's key that is in no file. */
export function newLedgerKey(): LedgerKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const spki = publicKey.export({ format: "der", type: "spki" })
  return { secret: privateKey, publicKey: spki.subarray(-32).toString("hex") }
}
