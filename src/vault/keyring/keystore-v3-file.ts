import * as z from "zod"

import { fromHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { parseJson } from "../../std/parse-json.ts"

export type ScryptParams = {
  readonly n: number
  readonly r: number
  readonly p: number
  readonly salt: Uint8Array
}
export type Pbkdf2Params = { readonly c: number; readonly salt: Uint8Array }

/** How a v3 file derives its key. The costs are bounded, so that a hostile file can't stall us. */
export type V3Kdf =
  | { readonly kdf: "scrypt"; readonly kdfparams: ScryptParams }
  | { readonly kdf: "pbkdf2"; readonly kdfparams: Pbkdf2Params }

/** A v3 file, parsed and checked but still encrypted. */
export type V3File = {
  /** 40 lower-case hex digits, or `undefined`: it is optional. */
  readonly address: string | undefined
  /** 65 bytes; a field of ours. */
  readonly publicKey: Uint8Array | undefined
  readonly kdf: V3Kdf
  readonly iv: Uint8Array
  readonly ciphertext: Uint8Array
  readonly mac: Uint8Array
}

/** A real file has about 500 characters. */
const maxFileChars = 64 * 1024

/** scrypt's memory is 128·n·r bytes, its work n·r·p: at most 1 GiB, and about four seconds as of 2026. */
const maxScryptCost = 2 ** 23
const maxN = 2 ** 20
const maxR = 64
const maxP = 64
const maxPbkdf2Rounds = 10_000_000

/**
 * Parses the text of a v3 file. Unknown fields are ignored at the top, where wallets add their own, and refused in
 * `crypto`, where they would change the meaning.
 *
 * @throws {Fault} `keystore_invalid`, naming the field and never its contents: the file may be a bare key.
 */
export function parseV3(json: string): V3File {
  const outer = parseOuter(json)
  const parsed = fileSchema.safeParse(outer)
  if (!parsed.success) throw invalid(parsed.error.issues[0]?.path.join(".") ?? "")
  const { address, public_key: publicKey, crypto } = parsed.data
  return {
    address: address?.replace("0x", "").toLowerCase(),
    publicKey,
    kdf: crypto,
    iv: crypto.cipherparams.iv,
    ciphertext: crypto.ciphertext,
    mac: crypto.mac,
  }
}

/** Picks what is read. geth writes `crypto`, ethers `Crypto`. */
function parseOuter(json: string): unknown {
  const outer = json.length > maxFileChars ? undefined : parseJson(json)
  if (typeof outer !== "object" || outer === null) throw invalid("")
  const fields = Object.entries(outer as Record<string, unknown>)
  const cryptos = fields.filter(([name]) => name.toLowerCase() === "crypto")
  if (cryptos.length !== 1) throw invalid("crypto")
  const named = new Map<string, unknown>(fields)
  const picked = ["version", "address", "public_key"].map(
    (name) => [name, named.get(name)] as const,
  )
  return { ...Object.fromEntries(picked), crypto: cryptos[0]?.[1] }
}

function invalid(path: string): Fault {
  const place = path === "" ? "" : `: ${path} is missing, malformed or out of bounds`
  return new Fault(
    "keystore_invalid",
    `This isn't a key file (Web3 Secret Storage, version 3) that can be used here${place}.`,
  )
}

function hexBytes(minBytes: number, maxBytes = minBytes) {
  const pattern = new RegExp(`^(?:0x)?(?:[0-9a-fA-F]{2}){${minBytes},${maxBytes}}$`)
  return z
    .string()
    .regex(pattern)
    .transform((text) => fromHex(text) ?? z.NEVER)
}

function integer(min: number, max: number) {
  return z.int().min(min).max(max)
}

const salt = hexBytes(1, 64)
const dklen = integer(32, 1024)

const common = {
  cipher: z.literal("aes-128-ctr"),
  cipherparams: z.strictObject({ iv: hexBytes(16) }),
  ciphertext: hexBytes(32),
  mac: hexBytes(32),
}

const scryptParams = z
  .strictObject({ dklen, n: integer(2, maxN), r: integer(1, maxR), p: integer(1, maxP), salt })
  .refine(({ n }) => Number.isInteger(Math.log2(n)))
  .refine(({ n, r, p }) => n * r * p <= maxScryptCost)

const pbkdf2Params = z.strictObject({
  dklen,
  c: integer(1, maxPbkdf2Rounds),
  prf: z.literal("hmac-sha256"),
  salt,
})

const fileSchema = z.strictObject({
  version: z.literal(3),
  address: z
    .string()
    .regex(/^(?:0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  public_key: hexBytes(65).optional(),
  crypto: z.discriminatedUnion("kdf", [
    z.strictObject({ ...common, kdf: z.literal("scrypt"), kdfparams: scryptParams }),
    z.strictObject({ ...common, kdf: z.literal("pbkdf2"), kdfparams: pbkdf2Params }),
  ]),
})
