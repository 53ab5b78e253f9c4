import type { Config } from "../../vault/config/config.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { noSecret, openKeyStore } from "../../vault/custody/open-key-store.ts"
import { secretFileOf } from "../../vault/custody/secret-file-of.ts"
import { pickCurve } from "../../vault/keyring/pick-curve.ts"
import { readSecretFile } from "../../vault/keyring/read-secret-file.ts"
import type { DaemonLook } from "./daemon-findings.ts"
import { locationWords } from "./file-findings.ts"
import { failureOf, ok, warn, type Finding } from "./finding.ts"

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
