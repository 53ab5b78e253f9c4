import { formsOf, type Form } from "./canaries-forms.ts"

export type Canary = { readonly name: string; readonly secret: Uint8Array }

export type Finding = {
  readonly canary: string
  readonly form: string
}

/** Finds the canaries in an output, in any of their forms, each once. */
export type Scan = (output: Uint8Array) => readonly Finding[]

type Wanted = Form & { readonly canary: string }

/** Every form is longer. */
const windowBytes = 12

// Rabin and Karp: a polynomial in an odd base modulo 2^32, which rolls over the output once for all forms.
const base = 0x01000193
const baseToWindow = Array.from({ length: windowBytes - 1 }).reduce<number>(
  (power) => Math.imul(power, base),
  1,
)
/** Bits of a hash that index the table of those that are looked for: most of an output ends there. */
const tableBits = 22

/** Prepares a search that reads each output once, however many canaries there are. */
export function scanFor(canaries: readonly Canary[]): Scan {
  const wantedByHash = new Map<number, Wanted[]>()
  const table = new Uint8Array(1 << tableBits)
  for (const { name: canary, secret } of canaries) {
    for (const form of formsOf(secret)) {
      const hash = hashOf(form.bytes)
      table[hash >>> (32 - tableBits)] = 1
      const sameHash = wantedByHash.get(hash) ?? []
      wantedByHash.set(hash, [...sameHash, { ...form, canary }])
    }
  }
  const candidates = (hash: number): readonly Wanted[] =>
    table[hash >>> (32 - tableBits)] === 1 ? (wantedByHash.get(hash) ?? []) : []
  return (output) => findingsIn(output, candidates)
}

function findingsIn(
  output: Uint8Array,
  candidates: (hash: number) => readonly Wanted[],
): readonly Finding[] {
  const found = new Map<string, Finding>()
  const lastStart = output.length - windowBytes
  for (let start = 0, hash = hashOf(output); start <= lastStart; start++) {
    for (const { bytes, canary, name: form } of candidates(hash)) {
      const isHere = bytes.equals(output.subarray(start, start + bytes.length))
      if (isHere && !found.has(canary)) found.set(canary, { canary, form })
    }
    const rest = hash - Math.imul(output[start] ?? 0, baseToWindow)
    hash = (Math.imul(rest, base) + (output[start + windowBytes] ?? 0)) >>> 0
  }
  return [...found.values()]
}

/** Of the first window. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0
  for (let index = 0; index < windowBytes; index++) {
    hash = (Math.imul(hash, base) + (bytes[index] ?? 0)) | 0
  }
  return hash >>> 0
}
