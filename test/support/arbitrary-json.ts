import fc from "fast-check"

import type { JsonValue } from "../../src/venue/json.ts"
import { anyCharacter } from "./any-character.ts"

/** Random values that strict JSON can carry, nested a few levels deep; objects are ordinary ones. */
export function arbitraryJson(): fc.Arbitrary<JsonValue> {
  return trees().json
}

/** Random objects that strict JSON can carry. */
export function arbitraryJsonObject(): fc.Arbitrary<Record<string, JsonValue>> {
  return trees().object
}

function trees() {
  return fc.letrec<{ json: JsonValue; object: Record<string, JsonValue>; leaf: JsonValue }>(
    (tie) => ({
      json: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        tie("leaf"),
        fc.array(tie("json"), { maxLength: 4 }),
        tie("object"),
      ),
      object: fc
        .uniqueArray(fc.tuple(keys, tie("json")), {
          selector: ([key]) => withoutCase(key),
          maxLength: 6,
        })
        .map((entries) => Object.fromEntries(entries)),
      leaf: fc.oneof(
        fc.constantFrom(null, true, false),
        fc.maxSafeInteger().map((integer) => integer + 0), // -0 has no place in strict JSON
        texts,
      ),
    }),
  )
}

const texts = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom("<", ">", "&", "\u2028", "\\", '"', "\n", "\0", "é", "😀") }),
)

const keys = fc
  .oneof(
    fc.constantFrom("symbol_id", "quantity", "price", "tpsl", "toString", "0", "10", "9", ""),
    fc.string({
      unit: fc.constantFrom("a", "b", "_", "\uffff", "\u{10000}", "\ue000"),
      maxLength: 3,
    }),
    fc.string({ unit: anyCharacter, maxLength: 5 }),
  )
  .filter((key) => !["__proto__", "constructor", "prototype"].includes(key))

function withoutCase(key: string): string {
  return key.toLowerCase().toUpperCase().toLowerCase()
}
