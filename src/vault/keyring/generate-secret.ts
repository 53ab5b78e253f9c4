import { randomFillSync } from "node:crypto"

import { newSecret } from "../../std/bytes.ts"
import { isSecretKey } from "./curve.ts"

/** Makes a new private key: 32 random bytes in the curve's range. The caller overwrites it after use. */
export function generateSecret(): Uint8Array {
  const secret = newSecret(32)
  do randomFillSync(secret)
  while (!isSecretKey(secret)) // one in 2^128 isn't
  return secret
}
