import { Fault } from "../../std/fault.ts"
import {
  assertReady,
  preflight,
  type KeychainState,
} from "../../vault/keyring/keychain/preflight.ts"
import type { openKeyStore } from "../../vault/custody/open-key-store.ts"
import { fail, failureOf, ok, type Finding } from "./finding.ts"

/**
 * Whether the system's keychain can be used, and gives each key that rests in it. `open` is for where keys rest there: one
 * that can't be used is a failure then, and good to know elsewhere. Writes nothing into it.
 */
export async function keychainFinding(
  open: OpenStore | undefined,
  check = preflight,
): Promise<Finding> {
  const state = await check()
  if (state === "ready") {
    if (open !== undefined) return givenFinding(open)
    return ok("keychain", "It is unlocked, and no key rests in it; a keystore is used.")
  }
  const why = await sentenceOf(state)
  if (open !== undefined) return fail("keychain", why, fixes[state])
  return ok("keychain", `It can't be used here, and no key rests in it. ${why}`)
}

type OpenStore = () => ReturnType<typeof openKeyStore>

async function givenFinding(open: OpenStore): Promise<Finding> {
  try {
    const store = await open()
    const names = await store.names()
    try {
      for (const name of names) (await store.load(name)).secret.fill(0)
    } finally {
      store.lock()
    }
    if (names.length === 0) return ok("keychain", "It is unlocked, and no key rests in it yet.")
    return ok("keychain", `It is unlocked, and gives each key that rests in it: ${names.length}.`)
  } catch (error) {
    const fix = "look at that item in Seahorse, KWalletManager or KeePassXC"
    return failureOf("keychain", error, fix)
  }
}

async function sentenceOf(state: KeychainState): Promise<string> {
  try {
    await assertReady(() => Promise.resolve(state))
    return ""
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

const unlocking =
  "log in to the desktop; or unlock it in Seahorse, KWalletManager or KeePassXC; or gnome-keyring-daemon --unlock"

const fixes: Readonly<Record<Exclude<KeychainState, "ready">, string>> = {
  locked: unlocking,
  no_collection:
    "make a default one in Seahorse or KWalletManager, or expose a group of a database in KeePassXC",
  no_service:
    "start the desktop's own (gnome-keyring, KWallet, KeePassXC), or: apt-get install gnome-keyring",
  no_bus: "export DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$(id -u)/bus",
  hangs: "log in anew, or end and start gnome-keyring-daemon, kwalletd or KeePassXC",
  no_program: "apt-get install dbus-bin",
}
