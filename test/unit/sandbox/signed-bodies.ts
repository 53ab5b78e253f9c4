// Signed bodies for the sandbox, made with ethers alone: what the sandbox accepts was signed by code
// that is neither its own nor the daemon's.
import {
  concat,
  keccak256,
  SigningKey,
  toUtf8Bytes,
  TypedDataEncoder,
  Wallet,
  ZeroAddress,
} from "ethers"

export type Fields = Readonly<Record<string, unknown>>

export const wallet = new Wallet(
  "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
)
export const agent = new Wallet(
  "0x0101010101010101010101010101010101010101010101010101010101010101",
)
export const stranger = new Wallet(
  "0x0202020202020202020202020202020202020202020202020202020202020202",
)

/** 2026-11-20T12:00:00Z, the time of every test that doesn't move it. */
export const nowMs = Date.parse("2026-11-20T12:00:00Z")
export const chainId = 842_569_901
export const dayMs = 86_400_000

let lastNonce = nowMs

/** A nonce that no other call returns, close to `nowMs`. */
export function freshNonce(): number {
  lastNonce += 1
  return lastNonce
}

type Signing = {
  readonly signer?: Wallet
  readonly tag?: number
  readonly chainId?: number
  readonly target?: string
  readonly nonce?: number
  readonly expiresAfter?: number
}

/** A Type A body: `business` and the signing fields. */
export function typeA(business: Fields, signing: Signing = {}): Fields {
  const { signer = wallet, target } = signing
  const { nonce = freshNonce(), expiresAfter = nowMs + 15_000 } = signing
  const digest = typeADigest(business, { ...signing, signer, nonce, expiresAfter })
  return {
    ...business,
    signer_address: signer.address,
    ...(target === undefined ? {} : { target_address: target }),
    nonce,
    expires_after: expiresAfter,
    signature: sign(signer, digest),
  }
}

/** The hash that a Type A signature is over, as ethers computes it. */
function typeADigest(
  business: Fields,
  signing: Signing & { readonly signer: Wallet; readonly nonce: number },
): string {
  const { signer, target, tag = 7, nonce, expiresAfter } = signing
  const actionHash = keccak256(concat([Uint8Array.of(tag), toUtf8Bytes(sorted(business))]))
  return TypedDataEncoder.hash(
    domainOf(signing.chainId ?? chainId),
    {
      Agent: [
        { name: "signerAddress", type: "address" },
        ...(target === undefined ? [] : [{ name: "targetAddress", type: "address" }]),
        { name: "actionHash", type: "bytes32" },
        { name: "nonce", type: "uint64" },
        { name: "expiresAfter", type: "uint64" },
      ],
    },
    { signerAddress: signer.address, targetAddress: target, actionHash, nonce, expiresAfter },
  )
}

const typeBMembers = {
  signer_address: { name: "signerAddress", type: "address" },
  service_chain: { name: "serviceChain", type: "string" },
  agent_address: { name: "agentAddress", type: "address" },
  authorized_address: { name: "authorizedAddress", type: "address" },
  valid_days: { name: "validDays", type: "uint32" },
  label: { name: "label", type: "string" },
  asset: { name: "asset", type: "string" },
  amount: { name: "amount", type: "string" },
  source: { name: "source", type: "address" },
  destination: { name: "destination", type: "address" },
  nonce: { name: "nonce", type: "uint64" },
  expires_after: { name: "expiresAfter", type: "uint64" },
} as const
type TypeBField = keyof typeof typeBMembers

/** An approve-agent body for 30 days, with `changes` made before it is signed. */
export function approval(changes: Fields = {}, signer = wallet): Fields {
  const body = {
    signer_address: signer.address,
    service_chain: "Sandbox",
    agent_address: agent.address,
    authorized_address: signer.address,
    valid_days: 30,
    label: "mm-1",
    nonce: freshNonce(),
    expires_after: nowMs + 60_000,
    signature_chain_id: chainId,
    ...changes,
  }
  return typeB("ApproveAgent", body, signer)
}

/** A revoke-agent body, with `changes` made before it is signed. */
export function revocation(changes: Fields = {}, signer = wallet): Fields {
  const body = {
    signer_address: signer.address,
    service_chain: "Sandbox",
    agent_address: agent.address,
    nonce: freshNonce(),
    expires_after: nowMs + 60_000,
    signature_chain_id: chainId,
    ...changes,
  }
  return typeB("RevokeAgent", body, signer)
}

/** A renew-agent body for 60 days, with `changes` made before it is signed. */
export function renewal(changes: Fields = {}, signer = wallet): Fields {
  const body = {
    signer_address: signer.address,
    service_chain: "Sandbox",
    agent_address: agent.address,
    valid_days: 60,
    nonce: freshNonce(),
    expires_after: nowMs + 60_000,
    signature_chain_id: chainId,
    ...changes,
  }
  return typeB("RenewAgent", body, signer)
}

/** A Type B body with `fields`, for a struct whose members come in the order of `typeBMembers`. */
export function operation(struct: string, fields: Fields, signer = wallet): Fields {
  const body = {
    signer_address: signer.address,
    service_chain: "Sandbox",
    nonce: freshNonce(),
    expires_after: nowMs + 60_000,
    signature_chain_id: chainId,
    ...fields,
  }
  return typeB(struct, body, signer)
}

function typeB(struct: string, body: Fields, signer: Wallet): Fields {
  const names = Object.keys(typeBMembers).filter((name) => name in body) as TypeBField[]
  const members = names.map((name) => typeBMembers[name])
  const message = Object.fromEntries(names.map((name) => [typeBMembers[name].name, body[name]]))
  const digest = TypedDataEncoder.hash(
    domainOf(Number(body["signature_chain_id"])),
    { [struct]: members },
    message,
  )
  return { ...body, signature: sign(signer, digest) }
}

function domainOf(id: number) {
  return { name: "Service", version: "1", chainId: id, verifyingContract: ZeroAddress }
}

function sign(signer: Wallet, digest: string): { r: string; s: string; v: 27 | 28 } {
  const { r, s, v } = new SigningKey(signer.privateKey).sign(digest)
  return { r, s, v }
}

/** Compact JSON with sorted keys; the tests' keys are ASCII. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
