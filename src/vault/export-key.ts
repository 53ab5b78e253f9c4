import { open, rm } from "node:fs/promises"

import { Fault } from "../std/fault.ts"
import { systemClock } from "./clock.ts"
import type { Config } from "./config.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { addressOfSecret } from "./keyring/curve.ts"
import { openKeystore } from "./keyring/keystore-files.ts"
import { encryptV3 } from "./keyring/keystore-v3.ts"
import { withSecret } from "./keyring/with-secret.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { loadConfig } from "./load-files.ts"

/** scrypt's cost for a file that leaves: N = 2^18, as geth uses it. */
const exportLogN = 18

/**
 * Writes a key as a stand-alone v3 keystore file. The only way by which a key gets out: offline, at the
 * keyboard, recorded before it is done. No socket has a call for it.
 *
 * @throws {Fault} `daemon_running`, `key_not_found`, `file_unsafe`.
 */
export async function exportKey(ask: {
  readonly installation: Installation
  readonly name: string
  readonly passphrase: (config: Config) => Promise<Uint8Array>
  readonly password: Uint8Array
  readonly to: string
}): Promise<void> {
  const paths = pathsOf(ask.installation)
  const config = await loadConfig(ask.installation)
  if (config.keystore.backend === "memory") {
    throw new Fault(
      "usage",
      "This installation keeps its keys in memory only; there is nothing to export.",
    )
  }
  const store = await withSecret(await ask.passphrase(config), (passphrase) =>
    openKeystore({ directory: paths.keystoreDir, passphrase }),
  )
  try {
    const text = await withSecret(await store.load(ask.name), (secret) =>
      encryptV3({
        secret,
        password: ask.password,
        logN: exportLogN,
        address: addressOfSecret(secret),
      }),
    )
    await recordAndWrite({ ledgerFile: paths.ledgerFile, name: ask.name, to: ask.to, text })
  } finally {
    store.lock()
  }
}

type Export = {
  readonly ledgerFile: string
  readonly name: string
  readonly to: string
  readonly text: string
}

/** The file is made first, so that nothing is recorded that can't be done, and filled last. */
async function recordAndWrite({ ledgerFile, name, to, text }: Export): Promise<void> {
  const file = await openNew(to)
  try {
    await record(ledgerFile, name)
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

async function record(ledgerFile: string, name: string): Promise<void> {
  const ledger = await openLedger({ file: ledgerFile, clock: systemClock }).catch(
    (error: unknown) => {
      if (!(error instanceof Fault) || error.code !== "already_running") throw error
      throw new Fault(
        "daemon_running",
        "Keys are exported with the daemon stopped; stop it first.",
        { cause: error },
      )
    },
  )
  try {
    await ledger.act({ act: "key_exported", name }, systemClock.nowMs())
  } finally {
    await ledger.close()
  }
}
