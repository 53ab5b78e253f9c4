import type { AdminParams } from "../../link/calls/methods.ts"
import type { KeyView } from "../../link/views/views.ts"
import { toHex } from "../../std/bytes.ts"
import { generateSecret } from "../../vault/keyring/generate-secret.ts"
import { nobleCurve } from "../../vault/keyring/noble-curve.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import type { Admin } from "../installation/admin.ts"

export type NewKey = Pick<AdminParams["addKey"], "name" | "role" | "wallet">

/**
 * Gives the vault a key, with the public one as the reference works it out: here, since what that leaves of the private
 * key in memory goes with this process. Overwrites `secret`.
 */
export function addKey(admin: Admin, key: NewKey, secret: Uint8Array): Promise<KeyView> {
  return withSecret(secret, () => {
    const publicKey = toHex(nobleCurve.publicKeyOf(secret))
    return admin.call("addKey", { ...key, publicKey, secret })
  })
}

/** Makes a key and gives it to the vault; nobody else ever sees it. */
export function generateKey(admin: Admin, key: NewKey): Promise<KeyView> {
  return addKey(admin, key, generateSecret())
}
