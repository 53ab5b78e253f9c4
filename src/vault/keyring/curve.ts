import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import * as secp256k1 from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

import { fromHex, toHex, concatBytes } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { Digest } from "../../venue/signing-hash.ts"

/** A signature as a curve makes it: `r ‖ s` in 64 bytes, and the recovery id, 0 to 3. */
export type CurveSignature = { readonly compact: Uint8Array; readonly recovery: number }

/** What a keyring needs of ECDSA over secp256k1. Libraries are interchangeable, and a test can use a faulty one. */
export type Curve = {
  readonly name: "libsecp256k1" | "noble"
  /**
   * The public key that belongs to a private one: `04 ‖ x ‖ y`.
   *
   * @throws {TypeError} or {RangeError} when `secret` is no private key.
   */
  readonly publicKeyOf: (secret: Uint8Array) => Uint8Array
  /**
   * Signs 32 bytes as they are. The nonce is RFC 6979's without extra entropy, so a repeat gives the same
   * bytes; s is in the lower half (EIP-2).
   *
   * @throws {TypeError} or {RangeError} when either isn't 32 bytes, or `secret` no private key.
   */
  readonly sign: (secret: Uint8Array, digest: Digest) => CurveSignature
  /**
   * The public key, `04 ‖ x ‖ y`, that made this signature over `digest`; `undefined` if none could have, or s
   * isn't low.
   *
   * @throws {TypeError} or {RangeError} when `digest` isn't 32 bytes.
   */
  readonly recover: (signature: CurveSignature, digest: Digest) => Uint8Array | undefined
}

/** Throws unless `bytes` are 32 bytes. The error has their type and length, never their contents. */
function assert32Bytes(bytes: unknown, label: string): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`expected 32 bytes as ${label}, got ${typeof bytes}`)
  }
  if (bytes.length !== 32) {
    throw new RangeError(`expected 32 bytes as ${label}, got Uint8Array of ${bytes.length}`)
  }
}

/** Throws unless `secret` is a private key. Like {@link assert32Bytes}, the error says nothing about its contents. */
function assertSecretKey(secret: Uint8Array): void {
  assert32Bytes(secret, "private key")
  if (!isSecretKey(secret)) throw new RangeError("expected a private key from 1 to n - 1")
}

/** Whether `bytes` are a private key: 32 bytes, from 1 to n − 1 (SEC 1 §3.2.1). They never become a number. */
export function isSecretKey(bytes: Uint8Array): boolean {
  const isSized = bytes instanceof Uint8Array && bytes.length === 32
  return isSized && bytes.some((byte) => byte !== 0) && Buffer.compare(bytes, orderBytes) < 0
}

/** Half of the curve's order, rounded down: the largest low s (EIP-2). */
const largestLowS =
  fromHex("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0") ?? new Uint8Array(32)

/** Whether a signature has the right form: 64 bytes, a recovery id, a low s. */
function isRecoverable({ compact, recovery }: CurveSignature): boolean {
  return compact.length === 64 && [0, 1, 2, 3].includes(recovery) && isLowS(compact)
}

function isLowS(compact: Uint8Array): boolean {
  return Buffer.compare(compact.subarray(32), largestLowS) <= 0
}

/** libsecp256k1 in the addon of the npm package secp256k1 5.0.2. Calls return 0 on success. */
export type Addon = {
  contextRandomize(seed: Uint8Array): number
  /** Compressed or not, depending on the length of `into`. */
  publicKeyCreate(into: Uint8Array, secret: Uint8Array): number
  ecdsaSign(
    into: { readonly signature: Uint8Array; recid: number },
    digest: Uint8Array,
    secret: Uint8Array,
  ): number
  ecdsaRecover(
    intoPublicKey: Uint8Array,
    compact: Uint8Array,
    recovery: number,
    digest: Uint8Array,
  ): number
}

/**
 * The curve in libsecp256k1. Its signing is constant-time: time and memory access don't depend on the key. It also
 * blinds its arithmetic with random bytes; the signatures are still RFC 6979's.
 *
 * @throws {Error} when the addon can't be blinded.
 */
export function nativeCurve(addon: Addon): Curve {
  if (addon.contextRandomize(randomBytes(32)) !== 0) throw new Error("it can't be blinded")
  return Object.freeze({
    name: "libsecp256k1",
    publicKeyOf: (secret) => {
      assertSecretKey(secret)
      const publicKey = new Uint8Array(65)
      if (addon.publicKeyCreate(publicKey, secret) !== 0)
        throw new RangeError("it made no public key")
      return publicKey
    },
    sign: (secret, digest) => {
      assertSecretKey(secret)
      assert32Bytes(digest, "digest")
      const made = { signature: new Uint8Array(64), recid: 0 }
      if (addon.ecdsaSign(made, reduced(digest), secret) !== 0) {
        throw new RangeError("it made no signature")
      }
      return { compact: made.signature, recovery: made.recid }
    },
    recover: (signature, digest) => {
      assert32Bytes(digest, "digest")
      // Native code may end the process over an argument of the wrong form.
      if (!isRecoverable(signature)) return undefined
      const publicKey = new Uint8Array(65)
      const { compact, recovery } = signature
      return addon.ecdsaRecover(publicKey, compact, recovery, digest) === 0 ? publicKey : undefined
    },
  } satisfies Curve)
}

/** n, as SEC 2 §2.4.1 has it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const orderBytes = bytes32(order)

/**
 * RFC 6979 §3.2 computes the nonce from the digest modulo n; the library uses the digest itself. Without this, one
 * digest in 2^128 would get another signature than from the reference.
 */
function reduced(digest: Uint8Array): Uint8Array {
  if (Buffer.compare(digest, orderBytes) < 0) return digest
  return bytes32(BigInt(toHex(digest)) - order)
}

function bytes32(value: bigint): Uint8Array {
  return fromHex(value.toString(16).padStart(64, "0")) ?? new Uint8Array(32)
}

/**
 * Loads libsecp256k1 from the package's files: the one built here, or else the one that came for this system. The
 * package's JavaScript isn't run, because it would silently use `elliptic` instead. The error says why nothing loads.
 */
export function loadNativeCurve(directory = packageDirectory()): Result<Curve, string> {
  if (directory === undefined) return err("the package secp256k1 isn't installed")
  const files = addonFiles(directory)
  let first: Result<Curve, string> | undefined
  for (const file of files) {
    const opened = openAddon(file)
    if (opened.ok) return opened
    first ??= opened
  }
  return first ?? err(`there is none for ${process.platform} on ${process.arch}`)
}

/** The flags that let the vault load addons under Node's permission model; none if there is no addon. */
export function nativeCurveFlags(): readonly string[] {
  const directory = packageDirectory()
  return directory !== undefined && addonFiles(directory).length > 0 ? ["--allow-addons"] : []
}

const require = createRequire(import.meta.url)

/** The addon files that exist. There may be one for each of two C libraries; only one of them loads. */
function addonFiles(directory: string): readonly string[] {
  const shipped = join(directory, "prebuilds", `${process.platform}-${process.arch}`)
  const names = ["secp256k1.glibc.node", "secp256k1.musl.node", "secp256k1.node"]
  const built = join(directory, "build", "Release", "secp256k1.node")
  return [built, ...names.map((name) => join(shipped, name))].filter((file) => existsSync(file))
}

function openAddon(file: string): Result<Curve, string> {
  try {
    // The package's type declarations lack this; `Addon` has it.
    const { Secp256k1 } = require(file) as { readonly Secp256k1: new () => Addon }
    return ok(nativeCurve(new Secp256k1()))
  } catch (error) {
    // It is for another C library, or this process may not load addons.
    return err(error instanceof Error ? firstLine(error.message) : "it isn't an addon")
  }
}

/** Without its full stop, so that it can be part of a sentence. */
function firstLine(message: string): string {
  return message.split("\n", 1).join("").replace(/\.$/, "")
}

/** `undefined` where the package isn't installed, as it is optional. */
function packageDirectory(): string | undefined {
  try {
    return fileURLToPath(new URL(".", import.meta.resolve("secp256k1/package.json")))
  } catch {
    return undefined
  }
}

// The reference. The command that makes or imports a key computes the public key with it, and it signs where libsecp256k1
// doesn't load. Two limits we accept: its BigInt arithmetic isn't constant-time, so it doesn't stop an attacker who can
// time single signatures to the nanosecond; and the BigInts and hex that it makes from a private key stay in memory
// until V8 reuses the space.

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

/** The curve in JavaScript, which runs wherever Node does. */
export const nobleCurve: Curve = Object.freeze({
  name: "noble",
  publicKeyOf: (secret) => {
    assertSecretKey(secret)
    return secp256k1.getPublicKey(secret, false)
  },
  sign: (secret, digest) => {
    assertSecretKey(secret)
    assert32Bytes(digest, "digest")
    const bytes = secp256k1.sign(digest, secret, {
      prehash: false,
      lowS: true,
      format: "recovered",
      extraEntropy: false,
    })
    return { recovery: bytes[0] ?? 0, compact: bytes.subarray(1) }
  },
  recover: (signature, digest) => {
    assert32Bytes(digest, "digest")
    if (!isRecoverable(signature)) return undefined
    const bytes = concatBytes(Uint8Array.of(signature.recovery), signature.compact)
    try {
      const options = { prehash: false, isCompressed: false }
      return secp256k1.recoverPublicKey(bytes, digest, options)
    } catch {
      return undefined // how the library says that r, s or v is out of range or no point fits
    }
  },
} satisfies Curve)

/** The curve that signs here, and a warning for the operator, if any. */
export type PickedCurve = Curve & { readonly warning: string | undefined }

/** libsecp256k1 if it loads; if not, JavaScript with a warning. Loaded once per process, as addons are. */
export function pickCurve(load = () => (loaded ??= loadNativeCurve())): PickedCurve {
  const native = load()
  if (native.ok) return { ...native.value, warning: undefined }
  const warning = `Signatures are made in JavaScript, some 20 times slower and not in constant time, and copies of keys stay in memory after a lock: libsecp256k1 can't be loaded (${native.error}).`
  return { ...nobleCurve, warning }
}

let loaded: Result<Curve, string> | undefined
