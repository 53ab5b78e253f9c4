import fc from "fast-check"

const firstSurrogate = 0xd800
const surrogates = 0x800

/**
 * Any character, but half of a surrogate pair: what `unit: "binary"` means to fast-check, which takes more than a second
 * of each process to make itself a table of them.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - surrogates).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  // So that fast-check still mixes in the words that it knows to be dangerous, such as __proto__.
  (text) => {
    const code = typeof text === "string" ? text.codePointAt(0) : undefined
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error("no character")
    return code < firstSurrogate ? code : code - surrogates
  },
)
