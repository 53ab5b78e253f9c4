import { hash, randomBytes, timingSafeEqual } from "node:crypto"

/** What is kept of a secret: whoever reads the memory can't log in with it. */
export type SecretDigest = Buffer

/** 256 random bits, base64url. */
export function makeSecret(): string {
  return randomBytes(32).toString("base64url")
}

/** What {@link makeSecret} makes. */
export const secretPattern = /^[A-Za-z0-9_-]{43}$/

/** SHA-256 of it. */
export function digestOf(secret: string): SecretDigest {
  return hash("sha256", secret, "buffer")
}

/** Compares in a time that tells nothing of either. */
export function isSame(a: SecretDigest, b: SecretDigest): boolean {
  return timingSafeEqual(a, b)
}
