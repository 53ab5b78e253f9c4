import { hash } from "node:crypto"

/** SHA-256 (FIPS 180-4) of a text in UTF-8, in hex. */
export function sha256Hex(text: string): string {
  return hash("sha256", text)
}
