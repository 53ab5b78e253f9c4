// The interface's signing steps, each written out. Nothing here is shared with the daemon, so that an
// error of one is seen by the other.

import { keccak_256 } from "@noble/hashes/sha3.js"

import { concatBytes, fromHex, utf8 } from "../../std/bytes.ts"

/** The EIP-712 type of a Type A message without `target_address` (step 7). */
export const agentType =
  "Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)"

/** The same with `target_address`. The interface doesn't show this layout: it is invented. */
export const agentWithTargetType =
  "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of an approve-agent request. */
export const approveAgentType =
  "ApproveAgent(address signerAddress,string serviceChain,address agentAddress,address authorizedAddress,uint32 validDays,string label,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of a revoke-agent request. Invented. */
export const revokeAgentType =
  "RevokeAgent(address signerAddress,string serviceChain,address agentAddress,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of a renew-agent request. Invented. */
export const renewAgentType =
  "RenewAgent(address signerAddress,string serviceChain,address agentAddress,uint32 validDays,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of a create-sub request. Invented. */
export const createSubType =
  "CreateSub(address signerAddress,string serviceChain,string label,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of a transfer. Invented. */
export const transferType =
  "Transfer(address signerAddress,string serviceChain,string asset,string amount,address source,address destination,uint64 nonce,uint64 expiresAfter)"

/** The EIP-712 type of a withdrawal. Invented. */
export const withdrawType =
  "Withdraw(address signerAddress,string serviceChain,string asset,string amount,address destination,uint64 nonce,uint64 expiresAfter)"

const domainType =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"

/** Step 3: keccak256 of the action tag's byte and the canonical JSON. */
export function actionHash(actionTag: number, canonical: string): Uint8Array {
  return keccak_256(concatBytes(Uint8Array.of(actionTag), utf8(canonical)))
}

/** Step 8: the domain `Service`, version 1, without a contract. */
export function domainSeparator(chainId: number): Uint8Array {
  return keccak_256(
    concatBytes(
      keccak_256(utf8(domainType)),
      keccak_256(utf8("Service")),
      keccak_256(utf8("1")),
      uintWord(chainId),
      new Uint8Array(32),
    ),
  )
}

/** Step 9: keccak256 of the type's hash and each member as 32 bytes, in the type's order. */
export function structHash(type: string, ...words: readonly Uint8Array[]): Uint8Array {
  return keccak_256(concatBytes(keccak_256(utf8(type)), ...words))
}

/** Step 10: what is signed. */
export function signingHash(domain: Uint8Array, struct: Uint8Array): Uint8Array {
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct))
}

/** An integer, left-padded to 32 bytes. */
export function uintWord(value: number): Uint8Array {
  return Buffer.from(BigInt(value).toString(16).padStart(64, "0"), "hex")
}

/**
 * An address, left-padded to 32 bytes.
 *
 * @throws {RangeError} when `address` isn't `0x` and 40 hex digits.
 */
export function addressWord(address: string): Uint8Array {
  const bytes = fromHex(address)
  if (bytes?.length !== 20) throw new RangeError("expected an address of 20 bytes")
  return concatBytes(new Uint8Array(12), bytes)
}

/** A string's hash, which stands for it in a struct. */
export function stringWord(text: string): Uint8Array {
  return keccak_256(utf8(text))
}

/**
 * `canonical_json` (Signing Type A, step 2): compact JSON with keys sorted. The interface doesn't say
 * whether nested keys are sorted too; the sandbox sorts them at every depth.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(",")}}`
}

/**
 * The byte that separates one Type A operation from another. The interface shows placeOrder's alone;
 * the others are invented.
 */
export const actionTags = {
  placeOrder: 7,
  modifyOrder: 8,
  cancelOrder: 9,
  chaseOrder: 10,
  placeBatch: 11,
  modifyBatch: 12,
  cancelBatch: 13,
  cancelAll: 14,
  setPositionMode: 15,
  setLeverage: 16,
  adjustIsolatedMargin: 17,
} as const
