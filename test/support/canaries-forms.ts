export type Form = { readonly name: string; readonly bytes: Buffer }

/** Every way in which secret bytes may look in what is printed or stored. `0x` before hex changes nothing. */
export function formsOf(secret: Uint8Array): readonly Form[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString("hex")
  const texts = {
    hex,
    "hex in capitals": hex.toUpperCase(),
    "hex from its end": Buffer.from(bytes.toReversed()).toString("hex"),
    "hex with spaces": hex.replace(/..(?!$)/g, "$& "),
    "a list": bytes.join(","),
    "a list with spaces": bytes.join(", "),
    "a number": BigInt(`0x${hex}`).toString(),
  }
  return [
    { name: "raw", bytes },
    ...Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
    ...[0, 1, 2].flatMap((offset) => base64Forms(bytes, offset)),
  ]
}

/** The digits of base64 that the bytes alone decide when `offset` others, modulo 3, come before them. */
function base64Forms(bytes: Buffer, offset: number): readonly Form[] {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
  const first = Math.ceil((8 * offset) / 6)
  const end = Math.floor((8 * (offset + bytes.length)) / 6)
  const plain = digits.slice(first, end)
  const url = plain.replaceAll("+", "-").replaceAll("/", "_")
  const name = `base64 after ${offset}`
  return [
    { name, bytes: Buffer.from(plain) },
    ...(url === plain ? [] : [{ name: `${name}, for URLs`, bytes: Buffer.from(url) }]),
  ]
}
