import {
  concat as ethersConcat,
  keccak256 as ethersKeccak,
  toUtf8Bytes,
  Wallet as EthersWallet,
} from "ethers"
import { privateKeyToAccount } from "viem/accounts"

import { type Curve, loadNativeCurve, nobleCurve } from "../../../src/vault/keyring/curve.ts"
import { placeOrderTag } from "../../../src/venue/builtin-profile.ts"
import type { Digest } from "../../../src/venue/signing-hash.ts"
import { agentTypes, canonicalOrders, domain } from "../order.ts"
import { actionHashOf } from "./action-hash.ts"

/** Signs the order of this number, with a nonce of its own. */
type Sign = (turn: number) => unknown

/** A key that everybody knows. */
const secret = `0x${"11".repeat(32)}` as const

const firstNonce = 1_795_249_011_211

/**
 * What signs in a process of its own, by name. viem and ethers do all that a signature takes, from the order on;
 * the curves get a digest, and check by recovery as the vault does, or don't.
 */
export const signers: Readonly<Record<string, () => Sign>> = {
  "viem, in process": viem,
  "ethers, in process": ethers,
  "noble, signing alone": () => signing(nobleCurve),
  "noble, sign and check": () => signingChecked(nobleCurve),
  "libsecp256k1, signing alone": () => signing(native()),
  "libsecp256k1, sign and check": () => signingChecked(native()),
}

/** Those that this machine can run, and why not the others. */
export function signersHere(): { readonly names: readonly string[]; readonly skipped: string[] } {
  const loaded = loadNativeCurve()
  const names = Object.keys(signers)
  if (loaded.ok) return { names, skipped: [] }
  return {
    names: names.filter((name) => !name.startsWith("libsecp256k1")),
    skipped: [`libsecp256k1 isn't measured: ${loaded.error}`],
  }
}

function viem(): Sign {
  const account = privateKeyToAccount(secret)
  return (turn) =>
    account.signTypedData({
      domain,
      types: agentTypes,
      primaryType: "Agent",
      message: {
        signerAddress: account.address,
        actionHash: actionHashOf(orderOf(turn)),
        nonce: BigInt(firstNonce + turn),
        expiresAfter: BigInt(firstNonce + turn + 15_000),
      },
    })
}

function ethers(): Sign {
  const wallet = new EthersWallet(secret)
  const types = { Agent: [...agentTypes.Agent] }
  return (turn) =>
    wallet.signTypedData(domain, types, {
      signerAddress: wallet.address,
      actionHash: ethersKeccak(
        ethersConcat([Uint8Array.of(placeOrderTag), toUtf8Bytes(orderOf(turn))]),
      ),
      nonce: firstNonce + turn,
      expiresAfter: firstNonce + turn + 15_000,
    })
}

const key = Buffer.from(secret.slice(2), "hex")

function signing(curve: Curve): Sign {
  return (turn) => curve.sign(key, digestOf(turn))
}

function signingChecked(curve: Curve): Sign {
  return (turn) => {
    const digest = digestOf(turn)
    return curve.recover(curve.sign(key, digest), digest)
  }
}

function native(): Curve {
  const loaded = loadNativeCurve()
  if (!loaded.ok) throw new Error(loaded.error)
  return loaded.value
}

function orderOf(turn: number): string {
  return canonicalOrders[turn % canonicalOrders.length] ?? ""
}

/** Another one each turn; no struct has it as its hash. */
function digestOf(turn: number): Digest {
  const digest = Buffer.alloc(32, 7)
  digest.writeUInt32BE(turn)
  return digest as Uint8Array as Digest
}
