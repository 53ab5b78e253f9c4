import assert from "node:assert/strict"

import { TypedDataEncoder, Wallet } from "ethers"

import type { AdminResults, AdminParams } from "../../src/link/calls/methods.ts"
import type { SignedOperation } from "../../src/contract/signed.ts"
import type { TypedOperation } from "../../src/contract/views.ts"
import type { Fault, FaultCode } from "../../src/std/fault.ts"
import { agentMethods } from "../../src/vault/agents/agent-methods.ts"
import { ledgerTime } from "./fake-clock.ts"
import { openTestVault, type TestVault, type VaultAsk } from "./open-test-vault.ts"

/** A wallet that is never held here. */
export const elsewhere = new Wallet(
  "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
)

export const accepted = { kind: "accepted", status: 200, code: "0" } as const

export type AgentVault = TestVault & { readonly token: string }

/** A vault with the wallet key `main`, its agent `mm`, and a client `bot` that uses `mm`. */
export async function openAgentVault(ask: VaultAsk = {}): Promise<AgentVault> {
  const test = await openTestVault(ask)
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  return { ...test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

/** Approves an agent as if the venue had accepted it, for 30 days unless told otherwise. */
export async function approve(
  { admin }: TestVault,
  agent: string,
  validDays = 30,
): Promise<SignedOperation> {
  const signed = signedOf(await admin.approveAgent({ agent, validDays, label: agent }))
  await admin.settleOperation({ record: signed.record, outcome: accepted })
  return signed
}

/** The calls on a vault at another time; the ledger's own clock stays. */
export function methodsAt({ vault }: TestVault, nowMs: number): ReturnType<typeof agentMethods> {
  return agentMethods({ ...vault, now: () => ledgerTime(nowMs) })
}

export function signedOf(answer: AdminResults["approveAgent"]): SignedOperation {
  assert.equal(answer.kind, "signed")
  return answer
}

/** Asks for an approval of `mm`, changed, that the wallet elsewhere signs. */
export async function askElsewhere(
  { admin }: TestVault,
  changes: Partial<AdminParams["approveAgent"]> = {},
): Promise<TypedOperation> {
  const answer = await admin.approveAgent({
    ...{ agent: "mm", validDays: 30, label: "mm", wallet: elsewhere.address },
    ...changes,
  })
  assert.equal(answer.kind, "to_be_signed")
  return answer
}

/** What a wallet makes of typed data that it was shown as JSON. */
export function signTyped(
  { typed_data }: Pick<TypedOperation, "typed_data">,
  wallet = elsewhere,
): string {
  const { domain, types, message } = JSON.parse(JSON.stringify(typed_data)) as {
    domain: Record<string, string>
    types: Record<string, { name: string; type: string }[]>
    message: Record<string, unknown>
  }
  const digest = TypedDataEncoder.hash(domain, without(types, "EIP712Domain"), message)
  return wallet.signingKey.sign(digest).serialized
}

/** An object without some of its fields. */
export function without<Value>(
  object: Readonly<Record<string, Value>>,
  ...names: readonly string[]
): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

/** Holds that a call fails with this code and a sentence like `words`. */
export function failsWith(
  work: () => Promise<unknown>,
  code: FaultCode,
  words: RegExp,
): Promise<void> {
  // What is thrown before anything is awaited counts too.
  return assert.rejects(Promise.resolve().then(work), (error: Fault) => {
    assert.equal(error.code, code, error.message)
    assert.match(error.message, words)
    return true
  })
}
