import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { concat, getAddress, keccak256, toUtf8Bytes, TypedDataEncoder, ZeroAddress } from "ethers"
import { hashTypedData } from "viem"

import { toHex, utf8 } from "../../src/std/bytes.ts"
import { parseAddress, type Address } from "../../src/venue/address.ts"
import { agentStruct, placeOrderTag } from "../../src/venue/builtin-profile.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../src/venue/json.ts"
import { parseOrder } from "../../src/venue/payload/parse-order.ts"
import {
  canonicalJson,
  actionHash,
  typeADigest,
  typeBDigest,
  domainSeparator,
  parseStructType,
  uintBits,
  type StructField,
  type StructType,
  type StructValue,
} from "../../src/venue/signing-hash.ts"
import { typedData } from "../../src/venue/typed-data.ts"
import { without } from "../support/agent-keys.ts"
import { anyCharacter } from "../support/any-character.ts"
import { arbitraryOrder } from "../support/arbitrary-order.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

const profile = testProfile()

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(toHex(bytes)))
const milliseconds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const validities = fc.record({ nonce: milliseconds, expiresAfterMs: milliseconds })
const domains = fc.record({
  name: fc.constantFrom("Service", "", "é✓"),
  version: fc.constantFrom("1", "2"),
  chainId: fc.oneof(fc.constant(84256n), fc.bigInt(1n, 2n ** 53n - 1n)),
})

// The interface's definition, written once more for the oracles (Signing Type A, step 7).
const agentMembers = [
  { name: "signerAddress", type: "address" },
  { name: "actionHash", type: "bytes32" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]
/** What a venue may call the target, and where it may have it. */
const targetLayouts = fc.constantFrom("targetAddress", "account", "onBehalfOf").chain((target) =>
  fc.record({
    target: fc.constant(target),
    fields: fc.shuffledSubarray([...agentMembers, { name: target, type: "address" }], {
      minLength: 5,
    }),
  }),
)

describe("a Type A digest", () => {
  it("is what ethers and viem compute, for any order without a target", () => {
    const property = fc.property(
      arbitraryOrder(),
      addresses,
      validities,
      (order, signer, validity) => {
        const business = strictly(order)
        const canonical = canonicalJson(business, profile.canonicalForm)
        assert.equal(canonical, sortedText(order))

        const digest = typeADigest({
          domain: profile.domain,
          struct: agentStruct,
          parties: { signer: addressOf(signer), target: undefined },
          actionHash: actionHash(placeOrderTag, canonical),
          validity,
        })
        const message = agentMessage({ order, tag: 7, signer, validity })
        assertAgreed(toHex(digest), {
          domain: { name: "Service", version: "1", chainId: 84256n },
          name: "Agent",
          fields: agentMembers,
          message,
        })
      },
    )
    fc.assert(property, numRuns(300))
  })

  it("is what ethers and viem compute, for any layout with a target, tag and domain", () => {
    const property = fc.property(
      fc.tuple(arbitraryOrder(), fc.nat(255), domains),
      fc.tuple(addresses, addresses, validities),
      targetLayouts,
      ([order, tag, domain], [signer, target, validity], layout) => {
        const { fields } = layout
        const canonical = canonicalJson(strictly(order), profile.canonicalForm)
        const digest = typeADigest({
          domain,
          struct: structOf("Agent", fields),
          parties: { signer: addressOf(signer), target: addressOf(target) },
          actionHash: actionHash(tag, canonical),
          validity,
        })
        const message = {
          ...agentMessage({ order, tag, signer, validity }),
          [layout.target]: target,
        }
        assertAgreed(toHex(digest), { domain, name: "Agent", fields, message })
      },
    )
    fc.assert(property, numRuns(200))
  })
})

describe("a Type B digest", () => {
  it("is what ethers and viem compute, for any struct", () => {
    const property = fc.property(structs, domains, ({ name, members }, domain) => {
      const fields = members.map(({ field }) => field)
      const values = new Map(members.map(({ field, value }) => [field.name, value]))
      const digest = typeBDigest(domain, structOf(name, fields), values)
      assertAgreed(toHex(digest), { domain, name, fields, message: Object.fromEntries(values) })
    })
    fc.assert(property, numRuns(300))
  })
})

describe("typed data", () => {
  it("hashes to the digest that is signed here, for any struct, as JSON read by ethers and viem", () => {
    const wide = fc.record({ name: fc.constant("Service"), version: fc.constant("1") })
    const anyDomain = fc.oneof(
      domains,
      fc
        .tuple(wide, fc.bigInt(0n, 2n ** 256n - 1n))
        .map(([rest, chainId]) => ({ ...rest, chainId })),
    )
    const property = fc.property(structs, anyDomain, ({ name, members }, domain) => {
      const struct = structOf(
        name,
        members.map(({ field }) => field),
      )
      const values = new Map(members.map(({ field, value }) => [field.name, value]))
      const digest = toHex(typeBDigest(domain, struct, values))
      const told = JSON.parse(JSON.stringify(typedData(domain, struct, values))) as WalletRequest
      const types = without(told.types, "EIP712Domain")
      assert.equal(TypedDataEncoder.hash(told.domain, types, told.message), digest)
      assert.equal(hashTypedData(told), digest)
    })
    fc.assert(property, numRuns(200))
  })
})

describe("a domain separator", () => {
  it("is what ethers computes", () => {
    const property = fc.property(domains, (domain) => {
      const expected = TypedDataEncoder.hashDomain({ ...domain, verifyingContract: ZeroAddress })
      assert.equal(toHex(domainSeparator(domain)), expected)
      assert.equal(toHex(domainSeparator(Object.freeze(domain))), expected)
      assert.equal(toHex(domainSeparator(domain)), expected)
    })
    fc.assert(property, numRuns(200))
  })
})

describe("arbitraryOrder", () => {
  it("makes only orders that keep every rule", () => {
    const property = fc.property(arbitraryOrder(), (order) => {
      const parsed = parseOrder(strictly(order), { path: "", alsoAllowed: [] }, profile.symbols)
      assert.deepEqual(parsed.ok ? [] : parsed.error, [])
    })
    fc.assert(property, numRuns(200))
  })
})

/** What JSON gives back of typed data, for the oracles. */
type WalletRequest = {
  readonly types: Record<string, { name: string; type: string }[]>
  readonly primaryType: string
  readonly domain: Record<string, string | number>
  readonly message: Record<string, unknown>
}

type Member = { readonly field: StructField; readonly value: StructValue }

const fieldTypes = fc.oneof(
  fc.constantFrom("address", "bool", "string", "bytes32"),
  fc.integer({ min: 1, max: 32 }).map((bytes) => `uint${8 * bytes}`),
)
const structs = fc.record({
  name: fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,8}$/),
  members: fc
    .array(fc.tuple(fc.stringMatching(/^[a-z][A-Za-z0-9]{0,5}$/), fieldTypes.chain(withValue)), {
      minLength: 1,
      maxLength: 12,
    })
    // The index keeps names apart; behind the name it wouldn't, since "a1" + 0 is "a" + 10.
    .map((rows): readonly Member[] =>
      rows.map(([name, { type, value }], index) => ({
        field: { name: `m${index}${name}`, type },
        value,
      })),
    ),
})

function withValue(type: string): fc.Arbitrary<{ type: string; value: StructValue }> {
  return valueOf(type).map((value) => ({ type, value }))
}

function valueOf(type: string): fc.Arbitrary<StructValue> {
  if (type === "address") return addresses
  if (type === "bool") return fc.boolean()
  if (type === "string") return fc.string({ unit: anyCharacter, maxLength: 40 })
  if (type === "bytes32") return fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex)
  const bits = uintBits(type)
  assert.ok(bits)
  return fc.bigInt(0n, 2n ** BigInt(bits) - 1n)
}

function agentMessage(input: {
  readonly order: Record<string, unknown>
  readonly tag: number
  readonly signer: string
  readonly validity: { readonly nonce: number; readonly expiresAfterMs: number }
}): Record<string, unknown> {
  const action = concat([Uint8Array.of(input.tag), toUtf8Bytes(sortedText(input.order))])
  return {
    signerAddress: input.signer,
    actionHash: keccak256(action),
    nonce: BigInt(input.validity.nonce),
    expiresAfter: BigInt(input.validity.expiresAfterMs),
  }
}

type TypedData = {
  readonly domain: { readonly name: string; readonly version: string; readonly chainId: bigint }
  readonly name: string
  readonly fields: readonly StructField[]
  readonly message: Record<string, unknown>
}

function assertAgreed(digest: string, { domain, name, fields, message }: TypedData): void {
  const full = { ...domain, verifyingContract: ZeroAddress as `0x${string}` }
  assert.equal(digest, TypedDataEncoder.hash(full, { [name]: [...fields] }, message))
  const fromViem = hashTypedData({
    domain: full,
    types: { [name]: fields },
    primaryType: name,
    message,
  })
  assert.equal(digest, fromViem)
}

/** Canonical JSON as the interface tells it, by other means: a replacer that sorts every object's keys. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

/** Through the strict reader, as a bot's body comes in. */
function strictly(value: unknown): JsonObject {
  const parsed = parseStrictJson(utf8(JSON.stringify(value)))
  assert.ok(parsed.ok && isJsonObject(parsed.value))
  return parsed.value
}

function structOf(name: string, fields: readonly StructField[]): StructType {
  const members = fields.map((field) => `${field.type} ${field.name}`).join(",")
  const struct = parseStructType(`${name}(${members})`)
  assert.ok(struct.ok)
  return struct.value
}

function addressOf(text: string): Address {
  const address = parseAddress(text)
  assert.ok(address)
  return address
}
