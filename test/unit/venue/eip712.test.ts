import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { id, TypedDataEncoder } from "ethers"

import { toHex, utf8 } from "../../../src/std/bytes.ts"
import { keccak256 } from "../../../src/std/keccak.ts"
import {
  domainSeparator,
  hashStruct,
  knownStruct,
  parseStructType,
  snakeCase,
  uintBits,
  type StructType,
  type StructValue,
} from "../../../src/venue/signing-hash.ts"
import { agentStruct, approveAgentStruct } from "../../../src/venue/builtin-profile.ts"

const signer = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"
const word = `0x${"ab".repeat(32)}`

function struct(text: string): StructType {
  const parsed = parseStructType(text)
  assert.ok(parsed.ok, text)
  return parsed.value
}

/** The hash of a struct of one field `x`. */
function hashOf(type: string, value: StructValue): string {
  return toHex(hashStruct(struct(`S(${type} x)`), new Map([["x", value]])))
}

function assertUnfit(type: string, value: StructValue): void {
  assert.throws(() => hashOf(type, value), /^RangeError: the value of x doesn't fit/)
}

describe("keccak256", () => {
  it("is Ethereum's, not SHA3-256", () => {
    const empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
    assert.equal(toHex(keccak256(new Uint8Array())), empty)
  })
})

describe("parseStructType", () => {
  it("reads fields in order and hashes the text as it is written", () => {
    const text = "Transfer(address to,uint64 amount,string asset,bool isFinal,bytes32 memo)"
    assert.deepEqual(struct(text), {
      name: "Transfer",
      fields: [
        { name: "to", type: "address" },
        { name: "amount", type: "uint64" },
        { name: "asset", type: "string" },
        { name: "isFinal", type: "bool" },
        { name: "memo", type: "bytes32" },
      ],
      typeString: text,
      typeHash: keccak256(utf8(text)),
    })
  })

  it("knows the interface's two structs", () => {
    assert.equal(
      toHex(agentStruct.typeHash),
      id("Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)"),
    )
    assert.equal(
      toHex(approveAgentStruct.typeHash),
      id(
        "ApproveAgent(address signerAddress,string serviceChain,address agentAddress,address authorizedAddress,uint32 validDays,string label,uint64 nonce,uint64 expiresAfter)",
      ),
    )
  })

  const refused: readonly [title: string, text: string][] = [
    ["nothing", ""],
    ["a name alone", "Agent"],
    ["a struct without fields", "Agent()"],
    ["a name in lower case", "agent(bool x)"],
    ["a space behind a comma", "Agent(bool x, bool y)"],
    ["two spaces", "Agent(bool  x)"],
    ["a space at the end", "Agent(bool x) "],
    ["a line feed at the end", "Agent(bool x)\n"],
    ["a comma at the end", "Agent(bool x,)"],
    ["a field without a type", "Agent(x)"],
    ["a field without a name", "Agent(bool)"],
    ["a field whose name has an underscore", "Agent(bool is_buy)"],
    ["a field whose name begins with a capital", "Agent(bool X)"],
    ["a field twice", "Agent(bool x,bool x)"],
    ["a nested struct", "Mail(Person from)Person(string name)"],
    ["an array", "Agent(bool[] x)"],
    ["bytes", "Agent(bytes x)"],
    ["bytes31", "Agent(bytes31 x)"],
    ["int64", "Agent(int64 x)"],
    ["uint, whose width is left out", "Agent(uint x)"],
    ["uint7", "Agent(uint7 x)"],
    ["uint0", "Agent(uint0 x)"],
    ["uint264", "Agent(uint264 x)"],
    ["uint08", "Agent(uint08 x)"],
    ["an address payable", "Agent(address payable x)"],
  ]
  for (const [title, text] of refused) {
    it(`refuses ${title}`, () => {
      assert.equal(parseStructType(text).ok, false)
      assert.throws(() => knownStruct(text), /./)
    })
  }
})

describe("uintBits", () => {
  it("gives the width of multiples of 8 from 8 to 256, and of nothing else", () => {
    assert.equal(uintBits("uint8"), 8)
    assert.equal(uintBits("uint64"), 64)
    assert.equal(uintBits("uint256"), 256)
    for (const type of ["uint", "uint0", "uint9", "uint264", "uint064", "int8", "uint8 ", ""]) {
      assert.equal(uintBits(type), undefined)
    }
  })
})

describe("snakeCase", () => {
  it("names a struct's field as the body does", () => {
    assert.equal(snakeCase("signerAddress"), "signer_address")
    assert.equal(snakeCase("nonce"), "nonce")
    assert.equal(snakeCase("aBC"), "a_b_c")
  })
})

describe("hashStruct", () => {
  it("takes the largest of each width and refuses one more", () => {
    for (const bits of [8, 32, 64, 248, 256]) {
      const type = `uint${bits}`
      const largest = 2n ** BigInt(bits) - 1n
      const types = { S: [{ name: "x", type }] }
      assert.equal(hashOf(type, largest), TypedDataEncoder.hashStruct("S", types, { x: largest }))
      assert.equal(hashOf(type, 0n), TypedDataEncoder.hashStruct("S", types, { x: 0n }))
      assertUnfit(type, largest + 1n)
      assertUnfit(type, -1n)
    }
  })

  it("refuses a value of another kind than its type", () => {
    assertUnfit("uint64", "1")
    assertUnfit("uint64", true)
    assertUnfit("bool", 1n)
    assertUnfit("bool", "true")
    assertUnfit("string", 0n)
    assertUnfit("string", false)
    assertUnfit("address", 0n)
    assertUnfit("bytes32", 0n)
  })

  it("refuses an address and a bytes32 of another length", () => {
    hashOf("address", signer)
    const others = [signer.slice(0, -2), `${signer}00`, signer.slice(0, -1), word]
    for (const text of ["", "0x", ...others, `${signer.slice(2)}00`, `${signer.slice(0, -1)}g`]) {
      assertUnfit("address", text)
    }
    hashOf("bytes32", word)
    for (const text of [
      "",
      "0x",
      word.slice(0, -2),
      `${word}00`,
      `${word.slice(0, -1)}g`,
      signer,
    ]) {
      assertUnfit("bytes32", text)
    }
  })

  it("refuses a string with a lone surrogate, which has no UTF-8 of its own", () => {
    hashOf("string", "\ud83d\ude00")
    assertUnfit("string", "\ud83d")
    assertUnfit("string", "\ude00\ud83d")
  })

  it("refuses values that lack a field, or hold one that the struct doesn't have", () => {
    const type = struct("S(bool x,bool y)")
    const entries: readonly (readonly [string, StructValue])[] = [
      ["x", true],
      ["y", true],
      ["z", true],
    ]
    hashStruct(type, new Map(entries.slice(0, 2)))
    for (const chosen of [entries.slice(0, 1), entries, [entries[0]!, entries[2]!]]) {
      assert.throws(() => hashStruct(type, new Map(chosen)), RangeError)
    }
  })

  it("puts no value into its messages", () => {
    const secret = "0xdeadbeef"
    assert.throws(
      () => hashOf("address", secret),
      (error: Error) => !error.message.includes("dead"),
    )
  })
})

describe("domainSeparator", () => {
  const separator = "0xb7535ece5e71e263d900237f06b3cc8122417600a0baaf06aaa66bbd876dc6a6"
  const main = { name: "Service", version: "1", chainId: 84256n }

  it("tells apart name, version and chain id", () => {
    assert.equal(toHex(domainSeparator(main)), separator)
    for (const change of [{ name: "Servic" }, { version: "2" }, { chainId: 84257n }]) {
      assert.notEqual(toHex(domainSeparator({ ...main, ...change })), separator)
    }
  })

  it("of a frozen domain stays what it is, whatever is done to bytes that it gave", () => {
    const domain = Object.freeze({ ...main })
    for (let time = 0; time < 3; time++) {
      const bytes = domainSeparator(domain)
      assert.equal(toHex(bytes), separator)
      bytes.fill(0)
    }
  })

  it("of a domain that isn't frozen follows its changes", () => {
    const domain = { ...main, chainId: 1n }
    assert.notEqual(toHex(domainSeparator(domain)), separator)
    domain.chainId = main.chainId
    assert.equal(toHex(domainSeparator(domain)), separator)
  })

  it("takes chain ids of 256 bits, not more and none below zero", () => {
    domainSeparator({ ...main, chainId: 2n ** 256n - 1n })
    for (const chainId of [2n ** 256n, -1n]) {
      assert.throws(() => domainSeparator({ ...main, chainId }), RangeError)
    }
  })
})
