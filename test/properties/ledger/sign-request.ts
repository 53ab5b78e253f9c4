import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import fc from "fast-check"
import {
  concat,
  getAddress,
  hexlify,
  keccak256,
  SigningKey,
  toUtf8Bytes,
  TypedDataEncoder,
  verifyTypedData,
  ZeroAddress,
} from "ethers"
import { hashTypedData, parseSignature } from "viem"
import { privateKeyToAccount } from "viem/accounts"

import { pathsOf } from "../../../src/vault/config/installation.ts"
import { generateSecret } from "../../../src/vault/keyring/generate-secret.ts"
import { anyCharacter } from "../../support/any-character.ts"
import { arbitraryOrder } from "../../support/arbitrary-order.ts"
import type { FileEngine } from "../../support/ledger-engines.ts"
import {
  approval,
  approvePath,
  assertSigned,
  openTestVault,
  readBody,
  type SignedAnswer,
  type TestVault,
} from "../../support/open-test-vault.ts"
import { readLedger } from "../../support/read-ledger.ts"
import { numRuns } from "../../support/runs.ts"

type Fields = Readonly<Record<string, unknown>>
type Members = readonly { readonly name: string; readonly type: string }[]
type TypedData = { readonly name: string; readonly members: Members; readonly message: Fields }
type Signature = { readonly r: string; readonly s: string; readonly v: number }

// The interface's definitions, written once more for the oracles.
const domain = {
  name: "Service",
  version: "1",
  chainId: 842_569_901n, // the sandbox's
  verifyingContract: ZeroAddress as `0x${string}`,
}
const agentMembers = [
  { name: "signerAddress", type: "address" },
  { name: "actionHash", type: "bytes32" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]
const approveAgentMembers = [
  { name: "signerAddress", type: "address" },
  { name: "serviceChain", type: "string" },
  { name: "agentAddress", type: "address" },
  { name: "authorizedAddress", type: "address" },
  { name: "validDays", type: "uint32" },
  { name: "label", type: "string" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]

/** What is signed and recorded, by a vault with this engine. */
export function holdSigned(engine: FileEngine): void {
  describe("a signed request", () => {
    let test: TestVault
    let token: string
    const walletKey = hexlify(generateSecret()) as `0x${string}`
    const agentKey = hexlify(generateSecret()) as `0x${string}`
    const wallet = new SigningKey(walletKey)
    const agent = new SigningKey(agentKey)
    const expectedBodies = new Map<string, string>()
    const lastNonces = new Map<string, number>()

    before(async () => {
      test = await openTestVault({ elsewhere: engine.elsewhere() })
      await test.addKey({ name: "main", role: "wallet", secret: bytesOf(walletKey) })
      await test.addKey({ name: "mm", role: "agent", wallet: "main", secret: bytesOf(agentKey) })
      token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
    })
    after(() => test.remove())

    /** What holds of every signed body, whatever its type. Returns its fields. */
    function assertFilledIn(answer: SignedAnswer, signer: string, asked: Fields) {
      const { signer_address, nonce, expires_after, signature, ...business } = readBody(answer)
      assert.equal(signer_address, signer)
      assert.deepEqual(business, asked)
      assert.equal(expires_after, answer.expiresAfter)
      assert.ok(typeof nonce === "number" && Number.isSafeInteger(nonce))
      assert.ok(nonce > (lastNonces.get(signer) ?? 0))
      lastNonces.set(signer, nonce)
      const validity = { nonce: BigInt(nonce), expiresAfter: BigInt(answer.expiresAfter) }
      return { validity, signature: signature as Signature, business }
    }

    it("of Type A is what ethers and viem hash and sign, from the bytes that go out", async () => {
      const signer = addressOf(agentKey)
      const asks = fc.record({ order: arbitraryOrder(), names: fc.boolean() })
      const property = fc.asyncProperty(asks, async ({ order, names }) => {
        const body = names ? { signer_address: signer.toLowerCase(), ...order } : order
        const answer = await test.sign(token, body)
        assertSigned(answer)
        const { validity, signature, business } = assertFilledIn(answer, signer, order)
        const canonical = sortedText(business)
        await assertSignature(signature, agent, {
          name: "Agent",
          members: agentMembers,
          message: {
            signerAddress: signer,
            actionHash: keccak256(concat([Uint8Array.of(7), toUtf8Bytes(canonical)])),
            ...validity,
          },
        })
        expectedBodies.set(answer.record, canonical)
      })
      await fc.assert(property, numRuns(100 * engine.share)) // test/properties/signing.test.ts has hundreds of orders' hashes
    })

    it("of Type B is what ethers and viem hash and sign, whatever the label", async () => {
      const signer = addressOf(walletKey)
      const asks = fc.record({
        label: fc.string({ unit: anyCharacter, maxLength: 100 }),
        days: fc.integer({ min: 1, max: 90 }),
        recase: fc.constantFrom(
          (address: string) => address,
          (address: string) => address.toLowerCase(),
          (address: string) => `0x${address.slice(2).toUpperCase()}`,
        ),
      })
      const property = fc.asyncProperty(asks, async ({ label, days, recase }) => {
        const ask = approval(recase(addressOf(agentKey)), recase(signer), {
          label,
          valid_days: days,
        })
        const answer = await test.sign(token, ask, { path: approvePath, key: "main" })
        assertSigned(answer)
        const sent = approval(addressOf(agentKey), signer, { label, valid_days: days })
        const { validity, signature } = assertFilledIn(answer, signer, sent)
        await assertSignature(signature, wallet, {
          name: "ApproveAgent",
          members: approveAgentMembers,
          message: {
            signerAddress: signer,
            serviceChain: "Sandbox",
            agentAddress: addressOf(agentKey),
            authorizedAddress: signer,
            validDays: days,
            label,
            ...validity,
          },
        })
        expectedBodies.set(answer.record, sortedText(ask))
      })
      await fc.assert(property, numRuns(40 * engine.share))
    })

    it("is in the ledger with the canonical form of what was asked, and nothing else is", async () => {
      await test.close()
      const requests = readLedger(pathsOf(test.installation).ledgerFile).filter(
        ({ kind }) => kind === "request",
      )
      assert.ok(expectedBodies.size > 0)
      const recorded = new Map(requests.map(({ id, row }) => [id, row["body"]]))
      assert.deepEqual(recorded, expectedBodies)
    })
  })
}

async function assertSignature(
  signature: Signature,
  key: SigningKey,
  { name, members, message }: TypedData,
): Promise<void> {
  const types = { [name]: [...members] }
  const digest = TypedDataEncoder.hash(domain, types, message)
  const typed = { domain, types, primaryType: name, message }
  assert.equal(hashTypedData(typed), digest)

  const { r, s, v } = key.sign(digest)
  assert.deepEqual(signature, { r, s, v })
  const account = privateKeyToAccount(key.privateKey as `0x${string}`)
  const other = parseSignature(await account.signTypedData(typed))
  assert.deepEqual(signature, { r: other.r, s: other.s, v: Number(other.v) })
  assert.equal(verifyTypedData(domain, types, message, signature), account.address)
}

/** Canonical JSON as the interface tells it, by other means: a replacer that sorts every object's keys. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

function addressOf(key: `0x${string}`): string {
  return getAddress(privateKeyToAccount(key).address)
}

function bytesOf(key: string): Uint8Array {
  return Buffer.from(key.slice(2), "hex")
}
