import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { utf8 } from "../../../src/std/bytes.ts"
import {
  type JsonObject,
  type JsonValue,
  parseStrictJson,
  type JsonProblem,
} from "../../../src/venue/json.ts"

function read(input: string | Uint8Array): JsonValue {
  const parsed = parseStrictJson(typeof input === "string" ? utf8(input) : input)
  assert.ok(parsed.ok, "expected it to be accepted")
  return parsed.value
}

function problemOf(input: string | Uint8Array): JsonProblem {
  const parsed = parseStrictJson(typeof input === "string" ? utf8(input) : input)
  assert.ok(!parsed.ok, "expected it to be refused")
  return parsed.error
}

/** Ordinary objects in place of those without prototype, so that `deepEqual` compares contents alone. */
function plain(value: JsonValue): unknown {
  return structuredClone(value)
}

function nested(depth: number, innermost = ""): string {
  return "[".repeat(depth) + innermost + "]".repeat(depth)
}

describe("parseStrictJson reads", () => {
  it("an order as a bot sends it", () => {
    const text = '{"symbol_id": 1, "is_buy": true, "quantity": "0.5", "flags": ["post_only"]}'
    assert.deepEqual(plain(read(text)), {
      symbol_id: 1,
      is_buy: true,
      quantity: "0.5",
      flags: ["post_only"],
    })
  })

  it("any value at the top, with any space around it", () => {
    assert.equal(read(" \t\r\n null \n"), null)
    assert.equal(read("true"), true)
    assert.equal(read("false"), false)
    assert.equal(read('"x"'), "x")
    assert.deepEqual(plain(read("[ ]")), [])
    assert.deepEqual(plain(read("{ }")), {})
    assert.deepEqual(plain(read('{ "a" : [ 1 , 2 ] , "b" : { } }')), { a: [1, 2], b: {} })
  })

  it("every escape, and characters beyond the 16-bit range both raw and escaped", () => {
    assert.equal(read(String.raw`"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`), '"\\/\b\f\n\r\té😀')
    assert.equal(read('"é✓😀\u2028\u007f"'), "é✓😀\u2028\u007f")
  })

  it("a Buffer like any other bytes", () => {
    assert.equal(read(Buffer.from('"é"')), "é")
  })

  it("keys that only look dangerous, as the object's own", () => {
    const object = read('{"toString": 1, "hasOwnProperty": 2, "": 3}') as JsonObject
    assert.deepEqual(Object.keys(object), ["toString", "hasOwnProperty", ""])
    assert.ok(!("valueOf" in object))
  })

  it("the same key in different objects", () => {
    assert.deepEqual(plain(read('{"a": {"a": [{"a": 1}, {"A": 2}]}}')), {
      a: { a: [{ a: 1 }, { A: 2 }] },
    })
  })

  it("a megabyte of text", () => {
    assert.equal((read(`"${"x".repeat(1_000_000)}"`) as string).length, 1_000_000)
  })

  it("into frozen values, whose objects have no prototype", () => {
    const value = read('{"a": [{"b": 1}]}') as { a: { b: number }[] }
    assert.equal(Object.getPrototypeOf(value), null)
    assert.equal(Object.getPrototypeOf(value.a[0]), null)
    for (const part of [value, value.a, value.a[0]]) assert.ok(Object.isFrozen(part))
    assert.throws(() => (value.a[0]!.b = 2), TypeError)
    assert.throws(() => value.a.push({ b: 2 }), TypeError)
  })
})

describe("parseStrictJson refuses", () => {
  const cases: readonly [
    title: string,
    input: string | Uint8Array,
    offset: number,
    says: RegExp,
  ][] = [
    ["an empty body", "", 0, /empty/],
    ["a body of spaces", " \n ", 3, /empty/],
    ["a byte order mark", '\ufeff{"a":1}', 0, /byte order mark/],
    ["a second value", "{} {}", 3, /goes on/],
    ["a closing bracket too many", "{}}", 2, /goes on/],
    ["a comment", "{} // x", 3, /goes on/],
    ["a NUL behind the value", "1\0", 1, /goes on/],
    ["bytes that aren't UTF-8", Uint8Array.of(0x22, 0xc3, 0xa9, 0xff, 0x22), 3, /UTF-8/],
    ["an overlong encoding", Uint8Array.of(0x22, 0xc0, 0xaf, 0x22), 1, /UTF-8/],
    ["a surrogate as UTF-8 bytes", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), 2, /UTF-8/],
    ["a character cut at the end", Uint8Array.of(0x22, 0xe2, 0x9c), 3, /UTF-8/],
    ["UTF-16", Uint8Array.of(0xff, 0xfe, 0x31, 0x00), 0, /UTF-8/],

    ["a key that is there twice", '{"quantity":"1","quantity":"1000"}', 16, /"quantity".*twice/],
    ["a key twice, once through escapes", '{"a":1,"\\u0061":2}', 7, /"a".*twice/],
    ["a key twice with the same value", '{"a":1,"b":2,"a":1}', 13, /"a".*twice/],
    ["a key twice deep down", '[{"x":{"a":1,"a":1}}]', 13, /"a".*twice/],
    ["keys that differ only in case", '{"Quantity":1,"quantity":2}', 14, /"quantity".*case/],
    ["keys in two cases, in either order", '{"quantity":1,"QUANTITY":2}', 14, /"QUANTITY".*case/],
    ["é beside É", '{"é":1,"É":2}', 8, /case/],
    ["K beside the Kelvin sign", '{"k":1,"\u212a":2}', 7, /case/],
    ["s beside the long s", '{"s":1,"\u017f":2}', 7, /case/],

    ["the key __proto__", '{"__proto__":{"limit":1}}', 1, /"__proto__"/],
    ["the key __proto__ through escapes", '{"\\u005f_proto__":1}', 1, /"__proto__"/],
    ["the key constructor", '{"constructor":{"prototype":{}}}', 1, /"constructor"/],
    ["the key prototype", '{"prototype":1}', 1, /"prototype"/],
    ["the key __proto__ deep down", '{"a":[{"b":{"__proto__":1}}]}', 12, /"__proto__"/],

    ["half of a surrogate pair", '"\\ud800"', 0, /lone surrogate/],
    ["the other half", '"x\\udc00"', 0, /lone surrogate/],
    ["halves in the wrong order", '"\\ude00\\ud83d"', 0, /lone surrogate/],
    ["a half before raw text", '"\\ud83dx"', 0, /lone surrogate/],
    ["half of a surrogate pair in a key", '{"\\ud800":1}', 1, /lone surrogate/],
    ["a raw line feed in a string", '"a\nb"', 2, /control character/],
    ["a raw NUL in a string", '"\0"', 1, /control character/],
    ["a raw U+001F in a string", '"\x1f"', 1, /control character/],
    ["an escape that JSON doesn't have", '"\\x41"', 1, /escape/],
    ["an escaped quote of another language", `"\\'"`, 1, /escape/],
    ["\\u in capitals", '"\\U0041"', 1, /escape/],
    ["\\u with three digits", '"\\u004"', 1, /hex digits/],
    ["\\u with a sign", '"\\u+041"', 1, /hex digits/],
    ["a string that isn't closed", '["abc', 1, /isn't closed/],
    ["a string that ends in its escape", '"abc\\', 4, /escape/],
    ["a string whose closing quote is escaped", '"abc\\"', 0, /isn't closed/],

    ["an exponent", "1e3", 0, /integer/],
    ["a fraction", "1.0", 0, /integer/],
    ["a number that no double holds", "9007199254740993", 0, /integer/],
    ["a number beyond all doubles", "1e400", 0, /integer/],
    ["a number of a thousand digits", "1".repeat(1000), 0, /integer/],
    ["minus zero", "[-0]", 1, /integer/],
    ["a leading zero", "01", 0, /integer/],
    ["a leading zero behind a minus", "-01", 0, /integer/],
    ["a minus alone", "-", 0, /integer/],
    ["two minuses", "--1", 0, /integer/],
    ["a bare fraction", ".5", 0, /expected a value/],
    ["a fraction without digits", "1.", 0, /integer/],
    ["a plus", "+1", 0, /expected a value/],
    ["a hexadecimal number", "0x10", 0, /integer/],
    ["digits in groups", "1_000", 0, /integer/],
    ["a BigInt literal", "1n", 0, /integer/],
    ["NaN", "NaN", 0, /expected a value/],
    ["Infinity", "-Infinity", 0, /integer/],
    ["undefined", '{"a":undefined}', 5, /expected a value/],
    ["True", "True", 0, /expected a value/],
    ["a word that begins like another", "[nulls]", 1, /expected a value/],

    ["a comma behind the last item", "[1,]", 3, /expected a value/],
    ["a comma behind the last member", '{"a":1,}', 7, /expected a key/],
    ["a comma before the first item", "[,1]", 1, /expected a value/],
    ["items without a comma", "[1 2]", 3, /comma or \]/],
    ["members without a comma", '{"a":1 "b":2}', 7, /comma or \}/],
    ["a key without a value", '{"a"}', 4, /colon/],
    ["a colon without a value", '{"a":}', 5, /expected a value/],
    ["an equals sign", '{"a"=1}', 4, /colon/],
    ["a key without quotes", "{a:1}", 1, /expected a key/],
    ["a key in single quotes", "{'a':1}", 1, /expected a key/],
    ["a number as key", "{1:1}", 1, /expected a key/],
    ["an array that isn't closed", "[1", 2, /comma or \]/],
    ["an object that isn't closed", '{"a":1', 6, /comma or \}/],
    ["an object closed as an array", '{"a":1]', 6, /comma or \}/],
    ["a vertical tab as space", "[\v1]", 1, /expected a value/],
    ["a no-break space", "[\u00a01]", 1, /expected a value/],
    ["a second byte order mark between values", "[\ufeff1]", 1, /expected a value/],
  ]
  for (const [title, input, offset, says] of cases) {
    it(title, () => {
      const problem = problemOf(input)
      assert.match(problem.message, says)
      assert.equal(problem.offset, offset)
      assert.ok(problem.message.endsWith(` (at byte ${offset})`), problem.message)
    })
  }

  it("keys that would change other objects, and none is changed", () => {
    problemOf('{"__proto__": {"limit": 1}}')
    problemOf('{"constructor": {"prototype": {"limit": 1}}}')
    assert.equal(({} as Record<string, unknown>)["limit"], undefined)
  })
})

describe("parseStrictJson, at its bounds,", () => {
  it("takes integers up to 2^53 - 1 either way, and none beyond", () => {
    assert.equal(read("9007199254740991"), Number.MAX_SAFE_INTEGER)
    assert.equal(read("-9007199254740991"), Number.MIN_SAFE_INTEGER)
    problemOf("9007199254740992")
    problemOf("-9007199254740992")
    assert.equal(read("0"), 0)
    assert.equal(read("-1"), -1)
  })

  it("takes arrays and objects nested 16 deep, the outermost being at depth 1, and not 17", () => {
    read(nested(16))
    read(nested(16, '"text and numbers add no depth"'))
    assert.match(problemOf(nested(17)).message, /more than 16 deep/)
    assert.equal(problemOf(nested(17)).offset, 16)
    read(`${'{"a":'.repeat(16)}1${"}".repeat(16)}`)
    problemOf(`${'{"a":'.repeat(17)}1${"}".repeat(17)}`)
    problemOf(`${nested(15).slice(0, 15)}{"a":[1]}`)
  })

  it("takes more than 16 arrays beside each other", () => {
    assert.equal((read(`[${Array(100).fill("[[]]").join(",")}]`) as readonly unknown[]).length, 100)
  })

  it("refuses ten thousand brackets without a crash", () => {
    for (const opening of ["[", '{"a":', '[{"a":']) problemOf(opening.repeat(10_000))
  })

  it("counts the offset in bytes, not in characters", () => {
    assert.equal(problemOf('["é✓😀", x]').offset, 14)
  })
})

describe("the messages of parseStrictJson", () => {
  it("cut a long key short", () => {
    const key = "k".repeat(10_000)
    const { message } = problemOf(`{"${key}":1,"${key}":2}`)
    assert.ok(message.length < 120, message)
  })

  it("show a key's control characters, quotes and directions as escapes", () => {
    const key = String.raw`\u001b[31m\"\u202e`
    const { message } = problemOf(`{"${key}":1,"${key}":2}`)
    assert.match(message, /^the key "\\u001b\[31m\\"\\u202e" is there twice/)
    assert.match(message, /^[ -~]+$/)
  })

  it("quote no value", () => {
    for (const text of ['{"token": cs_secret}', '["cs_secret', '{"a":"cs_secret"']) {
      assert.doesNotMatch(problemOf(text).message, /secret/)
    }
  })
})
