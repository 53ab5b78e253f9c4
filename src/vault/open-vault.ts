import { Fault } from "../std/fault.ts"
import { applyAct, makeActiveSet, type ActiveSet } from "./active-set.ts"
import { countBadTokens } from "./authenticate.ts"
import { systemClock } from "./clock.ts"
import type { Config } from "./config.ts"
import { pathsOf, type Installation } from "./installation.ts"
import type { Keyring, KeyStore } from "./keyring/keyring.ts"
import { openKeystore } from "./keyring/keystore-files.ts"
import { memoryStore } from "./keyring/memory-store.ts"
import { openKeyring } from "./keyring/open-keyring.ts"
import type { Ledger } from "./ledger/ledger.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { loadFiles } from "./load-files.ts"
import { assertTrustedDirectory } from "./read-config-file.ts"
import type { Vault } from "./vault.ts"

/**
 * Opens an installation: files, key store, ledger, in that order, so that a wrong passphrase or a broken
 * file leaves nothing behind. It holds the ledger's exclusive lock until it is closed.
 * With `without_keys` it asks for no passphrase and can sign nothing.
 *
 * @throws {Fault} with a sentence that says what to mend.
 */
export async function openVault(
  installation: Installation,
  passphrase: ((config: Config) => Promise<Uint8Array>) | "without_keys",
): Promise<Vault> {
  const paths = pathsOf(installation)
  const files = await loadFiles(installation)
  await assertTrustedDirectory(installation.stateDir)
  const store =
    passphrase === "without_keys"
      ? lockedStore()
      : await openStore(files.config, { directory: paths.keystoreDir, passphrase })
  const keyring = await openKeyring(store)
  const ledger = await openLedger({ file: paths.ledgerFile, clock: systemClock }).catch(
    (error: unknown) => {
      keyring.lock()
      throw error
    },
  )

  const vault = makeVault(makeActiveSet(files, ledger.opened.keys, ledger.opened.clients), {
    keyring,
    ledger,
  })
  try {
    if (passphrase !== "without_keys") assertKeysHeld(vault.active(), keyring)
  } catch (error) {
    await vault.close()
    throw error
  }
  return vault
}

function makeVault(
  first: ActiveSet,
  { keyring, ledger }: { readonly keyring: Keyring; readonly ledger: Ledger },
): Vault {
  let set = first
  return {
    clock: systemClock,
    keyring,
    ledger,
    badTokens: countBadTokens(systemClock.nowMs()),
    active: () => set,
    // Nothing is awaited before the set is exchanged: whoever asks next is judged by the new one.
    act: async (entry) => {
      const next = applyAct(set, entry)
      const recorded = ledger.act(entry, systemClock.nowMs())
      set = next
      return recorded
    },
    close: async () => {
      keyring.lock()
      await ledger.close()
    },
  }
}

async function openStore(
  config: Config,
  at: {
    readonly directory: string
    readonly passphrase: (config: Config) => Promise<Uint8Array>
  },
): Promise<KeyStore> {
  if (config.keystore.backend === "memory") return memoryStore()
  const passphrase = await at.passphrase(config)
  try {
    return await openKeystore({ directory: at.directory, passphrase })
  } finally {
    passphrase.fill(0)
  }
}

/** Takes no key: one that the ledger named and no store held would keep the vault from ever starting. */
function lockedStore(): KeyStore {
  const store = memoryStore()
  store.lock()
  return store
}

/** Every key of the ledger must be in the key store, and be the very key it was. */
function assertKeysHeld({ keys, config }: ActiveSet, keyring: Keyring): void {
  for (const { name, address } of keys.values()) {
    const held = keyring.addressOf(name)
    if (held === undefined) throw keyMissing(name, config)
    if (held !== address) {
      throw new Fault(
        "keystore_invalid",
        `The key store holds another key under the name ${name}: expected ${address}, found ${held}.`,
      )
    }
  }
}

function keyMissing(name: string, { keystore }: Config): Fault {
  if (keystore.backend === "memory") {
    return new Fault(
      "keystore_unavailable",
      `The key ${name} was kept in memory and is gone with the daemon that held it; make a new installation with countersign init.`,
    )
  }
  return new Fault(
    "keystore_invalid",
    `The ledger knows the key ${name}, but the key store doesn't hold it; restore keystore/${name}.json from a back-up.`,
  )
}
