import type { AdminParams } from "../../link/calls/methods.ts"
import type { KeyView } from "../../contract/bot-views.ts"
import { toHex } from "../../std/bytes.ts"
import { generateSecret } from "../../vault/keyring/generate-secret.ts"
import { nobleCurve } from "../../vault/keyring/noble-curve.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { choice, option, required, type Takes } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import type { Admin } from "../installation/admin.ts"

type KeyOptions = {
  readonly name: string
  readonly role: "wallet" | "agent"
  readonly wallet: string | undefined
}

/** What `keys generate` and `keys import` both take. */
export const keyOptions: Takes<KeyOptions> = {
  name: required(option("--name <name>", "what the key is called here")),
  role: required(
    choice("--role <role>", "wallet keys sign account operations, agent keys trade for a wallet", [
      "wallet",
      "agent",
    ]),
  ),
  wallet: option("--wallet <name>", "the wallet key that an agent key acts for"),
}

/** `countersign keys generate` */
export const keysGenerate = adminCommand({
  changes: "installation",
  description: "make a new private key, which nobody is shown",
  examples: [
    "countersign keys generate --name main --role wallet",
    "countersign keys generate --name mm --role agent --wallet main",
  ],
  options: keyOptions,
  keys: "needed",
  call: (admin, options) => generateKey(admin, newKeyOf(options)),
  print: keyLines,
})

type NewKey = Pick<AdminParams["addKey"], "name" | "role" | "wallet">

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

/** As a call takes them. */
export function newKeyOf({ name, role, wallet }: KeyOptions): NewKey {
  return { name, role, ...(wallet === undefined ? {} : { wallet }) }
}

/** A new key, for people. */
export function keyLines(key: KeyView): readonly string[] {
  return [`${key.name}: ${key.role} key, address ${key.address}`]
}
