import { Fault } from "../../std/fault.ts"
import type { Config } from "../../vault/config/config.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { noSecret, openKeyStore } from "../../vault/custody/open-key-store.ts"
import { secretFileOf, readSecretFile } from "../../vault/custody/secret-file.ts"
import {
  assertReady,
  preflight,
  type KeychainState,
} from "../../vault/keyring/keychain/preflight.ts"
import { pickCurve, type PickedCurve } from "../../vault/keyring/curve.ts"
import { curveFix } from "../../vault/status/warnings.ts"
import type { DaemonLook } from "./daemon-findings.ts"
import { locationWords } from "../installation/usual-installation.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

/** Whether the back-end that countersign.yaml names gives the keys: asks the daemon, or opens it. */
export async function keyFinding(
  config: Config,
  installation: Installation,
  daemon: DaemonLook,
): Promise<Finding> {
  const { backend } = config.keystore
  if (backend === "memory") {
    const message = "Keys are in the daemon's memory alone, and are gone when it stops."
    return warn("keys", message, "make an installation that keeps them: countersign init --dir …")
  }
  if (daemon.kind === "running") {
    const { keys } = daemon.status
    const locked = keys.filter(({ locked }) => locked).length
    const out = locked === 0 ? "" : `, ${locked} of them locked`
    return ok("keys", `The daemon has its keys from the ${backend}: ${keys.length}${out}.`)
  }
  try {
    return await tryOpening(config, installation)
  } catch (error) {
    const fix = `fix it, then run: countersign doctor ${locationWords(installation)}`
    return failureOf("keys", error, fix)
  }
}

/** Reads the keychain's register; the keychain is touched where a key is loaded. */
export function openKeychain(config: Config, installation: Installation) {
  return openKeyStore({ config, installation, secret: noSecret, curve: pickCurve() })
}

async function tryOpening(config: Config, installation: Installation): Promise<Finding> {
  const { backend, credential } = config.keystore
  const isGiven = credential === undefined || process.env["CREDENTIALS_DIRECTORY"] !== undefined
  if (backend === "keystore" && !isGiven) {
    const message = `The systemd credential ${credential} opens the keystore. Only the vault's unit gets it, so opening wasn't tried.`
    return ok("keys", message)
  }
  const file = secretFileOf(config, undefined)
  if (backend === "keystore" && file === undefined) {
    return ok("keys", "The keystore's passphrase is typed at each start, so opening wasn't tried.")
  }
  const secret = () => readSecretFile(file ?? "")
  const store = await openKeyStore({ config, installation, secret, curve: pickCurve() })
  try {
    const names = await store.names()
    // A keychain is touched only where a key is asked for: its own finding does.
    return backend === "keychain"
      ? ok("keys", `The keychain's register names the keys that rest in it: ${names.length}.`)
      : ok("keys", `The ${backend} opens, and holds ${names.length} keys.`)
  } finally {
    store.lock()
  }
}

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

/** Which library signs here. A daemon that can't load what is found here warns of it by itself. */
export function curveFinding({ name, warning }: PickedCurve): Finding {
  if (warning === undefined) return ok("curve", `${name} signs, in constant time.`)
  return warn("curve", warning, curveFix)
}
