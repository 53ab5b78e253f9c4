import { open, rm } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"
import type { Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { openKeyStore, type SecretSource } from "../../vault/custody/open-key-store.ts"
import { encryptV3 } from "../../vault/keyring/keystore-v3.ts"
import { pickCurve } from "../../vault/keyring/pick-curve.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import type { Ledger } from "../../vault/ledger/ledger.ts"
import { openLedger } from "../../vault/ledger/open-ledger.ts"
import { systemClock } from "../../vault/process/clock.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import { loadConfig } from "../installation/load-config.ts"
import { assertPortable } from "./portable-password.ts"

/** scrypt's cost for a file that leaves: N = 2^18, as geth uses it. */
const exportLogN = 18

export type ExportAsk = {
  readonly installation: Installation
  readonly name: string
  /** What opens a keystore; overwritten after use. */
  readonly secret: SecretSource
  /** What the new file is encrypted under, asked for once the key is found; overwritten after use. */
  readonly password: (address: Address) => Promise<Uint8Array>
  readonly to: string
}

/**
 * Writes a key as a stand-alone v3 keystore file and returns its address. The only way by which a key gets
 * out: offline, at the keyboard, recorded before it is done. No socket has a call for it.
 *
 * @throws {Fault} `daemon_running`, `key_not_found`, `file_unsafe`.
 */
export async function exportKey(ask: ExportAsk): Promise<Address> {
  const config = await loadConfig(ask.installation)
  if (config.keystore.backend === "memory") {
    throw new Fault(
      "usage",
      "This installation keeps its keys in memory only; there is nothing to export.",
    )
  }
  // Held from before anything is asked until the file is written, so that no daemon starts in between.
  const ledger = await openStopped(pathsOf(ask.installation).ledgerFile)
  try {
    const { address, text } = await encrypted(ask, config)
    await recordAndWrite({ ledger, name: ask.name, to: ask.to, text })
    return address
  } finally {
    await ledger.close()
  }
}

async function encrypted(
  ask: ExportAsk,
  config: Config,
): Promise<{ readonly address: Address; readonly text: string }> {
  const store = await openKeyStore({ ...ask, config, curve: pickCurve() })
  try {
    const { secret, publicKey } = await store.load(ask.name)
    return await withSecret(secret, async () => {
      const address = addressOfPublicKey(publicKey)
      const text = await withSecret(await ask.password(address), async (password) => {
        assertPortable(password)
        return encryptV3({ secret, password, logN: exportLogN, address })
      })
      return { address, text }
    })
  } finally {
    store.lock()
  }
}

async function openStopped(ledgerFile: string): Promise<Ledger> {
  return openLedger({ file: ledgerFile, clock: systemClock }).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== "already_running") throw error
    throw new Fault("daemon_running", "Keys are exported with the daemon stopped; stop it first.", {
      cause: error,
    })
  })
}

type Export = {
  readonly ledger: Ledger
  readonly name: string
  readonly to: string
  readonly text: string
}

/** The file is made first, so that nothing is recorded that can't be done, and filled last. */
async function recordAndWrite({ ledger, name, to, text }: Export): Promise<void> {
  const file = await openNew(to)
  try {
    await ledger.act({ act: "key_exported", name }, ledger.now())
    await file.writeFile(`${text}\n`)
    await file.sync()
  } catch (error) {
    await rm(to)
    throw error
  } finally {
    await file.close()
  }
}

async function openNew(path: string) {
  return open(path, "wx", 0o600).catch((cause: unknown) => {
    throw new Fault(
      "file_unsafe",
      `${path} can't be made as a new file; choose a path where none is.`,
      { cause },
    )
  })
}
