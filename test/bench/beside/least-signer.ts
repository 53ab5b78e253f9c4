import { randomBytes } from "node:crypto"

import { loadNativeCurve } from "../../../src/vault/keyring/curve.ts"
import { signatureOf, signChecked } from "../../../src/vault/keyring/keyring.ts"
import { agentStruct, placeOrderTag } from "../../../src/venue/builtin-profile.ts"
import { actionHash, typeADigest, type Digest } from "../../../src/venue/signing-hash.ts"
import { addressOfSecret } from "../../support/key-pair.ts"
import { domain } from "../order.ts"

export type Order = Readonly<Record<string, unknown>>

/** A signed order, whose record is to be durable before it leaves. */
export type SignedOrder = { readonly nonce: number; readonly body: string }

/** Any JSON object. */
export function parseOrder(text: string): Order | undefined {
  try {
    const order: unknown = JSON.parse(text)
    return typeof order === "object" && order !== null ? (order as Order) : undefined
  } catch {
    return undefined
  }
}

/** The allow-list: limit orders of one symbol up to a size. */
export function isAllowed({ symbol_id: symbol, order_type: type, quantity }: Order): boolean {
  return symbol === 1 && type === "limit" && Number(quantity) > 0 && Number(quantity) <= 0.5
}

/** Signs orders with a key of its own, a nonce above the last for each; with the daemon's curve and hash, and with its check if asked. */
export function openLeastSigner(checks: "checks" | "checks not"): (order: Order) => SignedOrder {
  const loaded = loadNativeCurve()
  if (!loaded.ok) throw new Error(loaded.error)
  const curve = loaded.value
  const secret = randomBytes(32)
  const signer = addressOfSecret(secret)
  const pair = { secret, publicKey: curve.publicKeyOf(secret) }
  const network = Object.freeze({ ...domain, chainId: BigInt(domain.chainId) })
  const sign = (digest: Digest) =>
    checks === "checks" ? signChecked(pair, digest, curve) : signatureOf(curve.sign(secret, digest))
  let lastNonce = 0
  return (order) => {
    const nonce = (lastNonce = Math.max(Date.now(), lastNonce + 1))
    const validity = { nonce, expiresAfterMs: nonce + 15_000 }
    const digest = typeADigest({
      domain: network,
      struct: agentStruct,
      parties: { signer, target: undefined },
      actionHash: actionHash(placeOrderTag, sorted(order)),
      validity,
    })
    const filled = { signer_address: signer, nonce, expires_after: validity.expiresAfterMs }
    return { nonce, body: sorted({ ...order, ...filled, signature: sign(digest) }) }
  }
}

function sorted(fields: Order): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
  )
}
