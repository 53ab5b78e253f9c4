import * as secp256k1 from "@noble/secp256k1"

import { fromHex, toHex } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import type { Signature } from "./keyring.ts"
import { nobleCurve } from "./curve.ts"

/**
 * Parses a signature as wallets give it: 65 bytes `r ‖ s ‖ v` in hex, with v 0, 1, 27 or 28. The error is a
 * sentence. It doesn't check whose signature it is; recovery does.
 */
export function parseSignature(text: string): Result<Signature, string> {
  const bytes = text.startsWith("0x") ? fromHex(text) : undefined
  if (bytes?.length !== 65) {
    return err("This isn't a signature: 65 bytes are expected, 0x and 130 hex digits.")
  }
  const v = parseV(bytes[64])
  if (v === undefined) {
    return err("The signature's last byte, v, must be 0, 1, 27 or 28; have the wallet sign anew.")
  }
  const isHigh = hasHighS(bytes.subarray(0, 64))
  if (isHigh === undefined) {
    return err("The signature's r or s is out of the curve's range; have the wallet sign anew.")
  }
  if (isHigh) {
    return err(
      "The signature's s is in the upper half of the curve's order, which is refused (EIP-2).",
    )
  }
  return ok({ r: toHex(bytes.subarray(0, 32)), s: toHex(bytes.subarray(32, 64)), v })
}

/** Some wallets give the recovery id (0 or 1) as v. */
function parseV(byte: number | undefined): Signature["v"] | undefined {
  if (byte === 0 || byte === 27) return 27
  return byte === 1 || byte === 28 ? 28 : undefined
}

/** `undefined` when r or s is zero or not below the curve's order. */
function hasHighS(compact: Uint8Array): boolean | undefined {
  try {
    return secp256k1.Signature.fromBytes(compact, "compact").hasHighS()
  } catch {
    return undefined // how the library says that a scalar is out of range
  }
}

/** The address whose key made `signature` over `digest`; `undefined` if no key could have, or s isn't low. */
export function recoverAddress(signature: Signature, digest: Digest): Address | undefined {
  const compact = parse64Bytes(signature)
  if (compact === undefined) return undefined
  const publicKey = nobleCurve.recover({ compact, recovery: signature.v - 27 }, digest)
  return publicKey && addressOfPublicKey(publicKey)
}

function parse64Bytes({ r, s }: Signature): Uint8Array | undefined {
  const words = [fromHex(r), fromHex(s)] as const
  if (words[0]?.length !== 32 || words[1]?.length !== 32) return undefined
  const bytes = new Uint8Array(64)
  bytes.set(words[0])
  bytes.set(words[1], 32)
  return bytes
}
