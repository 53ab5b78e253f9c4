import { concat, getAddress, keccak256, toUtf8Bytes, verifyTypedData, ZeroAddress } from "ethers"

import { actionTags } from "../../src/sandbox/signing/typed-hash.ts"
import { sandboxChainId } from "../../src/sandbox/state/market.ts"

/** What a signed body of the sandbox's network says, read with nothing of the daemon's own code. */
export type SignedBody = {
  /** In lower case. */
  readonly signer: string
  readonly nonce: number
  readonly expiresAfter: number
  /** The fields that a bot asked for: their canonical JSON, as long as none of them holds others. */
  readonly business: string
}

const tags: Readonly<Record<string, number>> = {
  "/v1/trade/orders": actionTags.placeOrder,
  "/v1/trade/orders/cancel": actionTags.cancelOrder,
}

// The interface's definition (Signing Type A, step 7).
const agent = {
  Agent: [
    { name: "signerAddress", type: "address" },
    { name: "actionHash", type: "bytes32" },
    { name: "nonce", type: "uint64" },
    { name: "expiresAfter", type: "uint64" },
  ],
}
const domain = {
  name: "Service",
  version: "1",
  chainId: sandboxChainId,
  verifyingContract: ZeroAddress,
}

type Wire = Readonly<Record<string, unknown>> & {
  readonly signer_address: string
  readonly nonce: number
  readonly expires_after: number
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
}

/** Reads a signed body. */
export function readSignedBody(text: string): SignedBody {
  const { signer_address, nonce, expires_after, signature, ...business } = JSON.parse(text) as Wire
  if (typeof signature !== "object") throw new Error("a body has no signature")
  const sorted = Object.entries(business).sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    signer: signer_address.toLowerCase(),
    nonce,
    expiresAfter: expires_after,
    business: JSON.stringify(Object.fromEntries(sorted)),
  }
}

/**
 * Recovers the signer of `text`, to be sent to `path`.
 *
 * @throws when it isn't the one that the body names.
 */
export function assertSigned(path: string, text: string): string {
  const { signer, nonce, expiresAfter, business } = readSignedBody(text)
  const tag = tags[path]
  if (tag === undefined) throw new Error(`nobody signs for ${path}`)
  const message = {
    signerAddress: getAddress(signer),
    actionHash: keccak256(concat([Uint8Array.of(tag), toUtf8Bytes(business)])),
    nonce,
    expiresAfter,
  }
  const { signature } = JSON.parse(text) as Wire
  const recovered = verifyTypedData(domain, agent, message, signature)
  if (recovered.toLowerCase() !== signer) throw new Error(`not signed by ${signer}: ${text}`)
  return signer
}
