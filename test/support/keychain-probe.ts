// Runs under the vault's permission flags with a keychain: saves a key, gives up what the vault gives up, loads the key
// in a store opened anew, removes it, and tries what is still forbidden. Prints what came of it.

import { readFile } from "node:fs/promises"

import { createRegistry } from "../../src/commands/init/create-installation.ts"
import { openKeychainStore } from "../../src/vault/keyring/keychain/keychain-store.ts"
import { pickCurve } from "../../src/vault/keyring/curve.ts"
import type { KeychainDriver } from "../../src/vault/keyring/keychain/keychain.ts"
import { pairOf } from "./key-pair.ts"

const [, , directory = "", driver = "", keytarDirectory] = process.argv
const settings = {
  directory,
  driver: driver as KeychainDriver,
  keytarDirectory,
  curve: pickCurve(),
} // the test's own words

// As the vault does: addons once its curve is loaded, threads and the network once it serves. Keys are still added
// and removed then.
const permission = process.permission as { drop?: (scope: string) => void } | undefined
permission?.drop?.("addon")
await createRegistry(directory)
const saving = await openKeychainStore(settings)
await saving.save("bot", pairOf(new Uint8Array(32).fill(1)))
permission?.drop?.("worker")
permission?.drop?.("net")
const loading = await openKeychainStore(settings)
const { secret } = await loading.load("bot")
await loading.remove("bot")
const results = {
  isSame: secret.every((byte) => byte === 1),
  names: await loading.names(),
  addon: await codeOf(() => import("@napi-rs/keyring")),
  readOutside: await codeOf(() => readFile("/etc/hostname")),
}
console.log(JSON.stringify(results))

async function codeOf(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt()
    return "done"
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "failed"
  }
}
