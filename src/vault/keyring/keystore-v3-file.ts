import * as z from "zod"

import { fromHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { parseJson } from "../../std/parse-json.ts"

/** How a v3 file derives its key. The costs are bounded, so that a hostile file can't stall us. */
export type V3Kdf =
  | { readonly kdf: "scrypt"; readonly kdfparams: ScryptParams }
  | { readonly kdf: "pbkdf2"; readonly kdfparams: Pbkdf2Params }
export type ScryptParams = Omit<z.output<typeof scryptParams>, "dklen">
export type Pbkdf2Params = Pick<z.output<typeof pbkdf2Params>, "c" | "salt">

/** A v3 file, parsed and checked but still encrypted. */
export type V3File = {
  /** 40 lower-case hex digits, or `undefined`: it is optional. */
  readonly address: string | undefined
  /** 65 bytes; a field of ours. */
  readonly publicKey: Uint8Array | undefined
  readonly kdf: V3Kdf
  /** 16 bytes, or fewer where zeros were cut off that it begins with. */
  readonly iv: Uint8Array
  /** 32 bytes, or fewer where the secret's first zeros were cut off. */
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
 * Parses the text of a v3 file. Members that the definition doesn't have are ignored everywhere: real tools write some,
 * and what counts is that the mac holds and the address comes out.
 *
 * @throws {Fault} `keystore_invalid`, naming the member and what it was, and never more of its contents than a short
 * word or number: the file may be a bare key.
 */
export function parseV3(json: string): V3File {
  const outer = parseOuter(json)
  const parsed = fileSchema.safeParse(outer)
  if (!parsed.success) throw wrongMember(parsed.error.issues[0]?.path ?? [], outer)
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
function parseOuter(json: string): Readonly<Record<string, unknown>> {
  if (json.startsWith("\ufeff")) throw invalid("it begins with a byte order mark; save it without")
  if (json.length > maxFileChars) throw invalid("it is longer than 64 KiB")
  const outer = parseJson(json)
  if (typeof outer !== "object" || outer === null) throw invalid("it isn't a JSON object")
  const fields = Object.entries(outer as Record<string, unknown>)
  const cryptos = fields.filter(([name]) => name.toLowerCase() === "crypto")
  if (cryptos.length > 1) throw invalid("it has crypto twice")
  const named = new Map<string, unknown>(fields)
  const picked = ["version", "address", "public_key"].map(
    (name) => [name, named.get(name)] as const,
  )
  return { ...Object.fromEntries(picked), crypto: cryptos[0]?.[1] }
}

function invalid(why: string): Fault {
  return new Fault(
    "keystore_invalid",
    `This isn't a key file (Web3 Secret Storage, version 3) that can be used here: ${why}.`,
  )
}

function wrongMember(path: readonly PropertyKey[], outer: unknown): Fault {
  const name = path.join(".")
  const value = path.reduce(memberOf, outer)
  const was = words.has(name) && isWord(value) ? `"${value}"` : shapeOf(value)
  if (was === '"aes-128-cbc"') {
    return invalid(
      `${name} is ${was}, which geth wrote before version 3; let the tool that wrote it write it anew, with aes-128-ctr`,
    )
  }
  return invalid(`${name} is ${was}; it must be ${expected[name] ?? "an object"}`)
}

function memberOf(value: unknown, name: PropertyKey): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name)
  return isObject ? (value as Readonly<Record<PropertyKey, unknown>>)[name] : undefined
}

/** Members that hold the name of a method, which can be told. */
const words = new Set(["crypto.cipher", "crypto.kdf", "crypto.kdfparams.prf"])

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[a-z][a-z0-9-]{0,23}$/i.test(value)
}

/** What a value is, in a few words: nothing of what could be a secret. */
function shapeOf(value: unknown): string {
  if (value === undefined) return "missing"
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") return Math.abs(value) < 1e9 ? String(value) : "a large number"
  return typeof value === "string" ? shapeOfText(value) : "a list or an object"
}

function shapeOfText(value: string): string {
  const digits = value.replace(/^0x/, "")
  return /^[0-9a-f]+$/i.test(digits)
    ? `a text of ${digits.length} hex digits`
    : `a text of ${value.length} characters`
}

const expected: Readonly<Record<string, string>> = {
  version: "3",
  address: "40 hex digits, or left out",
  public_key: "130 hex digits, or left out",
  "crypto.cipher": "aes-128-ctr",
  "crypto.cipherparams.iv": "32 hex digits",
  "crypto.ciphertext": "64 hex digits",
  "crypto.mac": "64 hex digits",
  "crypto.kdf": "scrypt or pbkdf2",
  "crypto.kdfparams": "an object; of scrypt, with n · r · p at most 8388608",
  "crypto.kdfparams.dklen": "a number from 32 to 1024",
  "crypto.kdfparams.n": "a power of two from 2 to 1048576",
  "crypto.kdfparams.r": "a number from 1 to 64",
  "crypto.kdfparams.p": "a number from 1 to 64",
  "crypto.kdfparams.c": "a number from 1 to 10000000",
  "crypto.kdfparams.prf": "hmac-sha256",
  "crypto.kdfparams.salt": "2 to 128 hex digits",
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
  // Some tools write the IV and the secret as numbers, without the zeros that they begin with.
  cipherparams: z.object({ iv: hexBytes(1, 16) }),
  ciphertext: hexBytes(1, 32),
  mac: hexBytes(32),
}

const n = integer(2, maxN).refine((cost) => Number.isInteger(Math.log2(cost)))
const scryptParams = z
  .object({ dklen, n, r: integer(1, maxR), p: integer(1, maxP), salt })
  .refine((costs) => costs.n * costs.r * costs.p <= maxScryptCost)

const pbkdf2Params = z.object({
  dklen,
  c: integer(1, maxPbkdf2Rounds),
  prf: z.literal("hmac-sha256"),
  salt,
})

const fileSchema = z.object({
  version: z.literal(3),
  address: z
    .string()
    .regex(/^(?:0x)?[0-9a-fA-F]{40}$/)
    .optional(),
  public_key: hexBytes(65).optional(),
  crypto: z.discriminatedUnion("kdf", [
    z.object({ ...common, kdf: z.literal("scrypt"), kdfparams: scryptParams }),
    z.object({ ...common, kdf: z.literal("pbkdf2"), kdfparams: pbkdf2Params }),
  ]),
})
