import { Fault } from "../std/fault.ts"
import { oneAtATime } from "../std/one-at-a-time.ts"
import { applyAct, makeActiveSet, withFiles, type ActiveSet, type FileSet } from "./active-set.ts"
import { countBadTokens } from "./authenticate.ts"
import { systemClock } from "./clock.ts"
import type { Config } from "./config.ts"
import { countAnew } from "./count-anew.ts"
import { pathsOf, type Installation } from "./installation.ts"
import type { Keyring, KeyStore } from "./keyring/keyring.ts"
import { openKeystore } from "./keyring/keystore-files.ts"
import { memoryStore } from "./keyring/memory-store.ts"
import { openKeyring } from "./keyring/open-keyring.ts"
import type { Ledger, StoredPrice } from "./ledger/ledger.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { loadUsableFiles } from "./load-usable-files.ts"
import { assertTrustedDirectory } from "./read-config-file.ts"
import { withPrice } from "./reference-prices.ts"
import type { Vault } from "./vault.ts"

/**
 * Opens an installation: files, key store, ledger, in that order, so that a wrong passphrase or a broken
 * file leaves nothing behind. It holds the ledger's exclusive lock until it is closed.
 * With `without_keys` it asks for no passphrase and can sign nothing.
 *
 * Files that can't be used are replaced by the last ones that were in force, if there are any.
 *
 * @throws {Fault} with a sentence that says what to mend.
 */
export async function openVault(
  installation: Installation,
  passphrase: ((config: Config) => Promise<Uint8Array>) | "without_keys",
): Promise<Vault> {
  const { keystoreDir, ledgerFile } = pathsOf(installation)
  const { files, alarm } = await loadUsableFiles(installation)
  await assertTrustedDirectory(installation.stateDir)
  const store =
    passphrase === "without_keys"
      ? lockedStore()
      : await openStore(files.config, { directory: keystoreDir, passphrase })
  const keyring = await openKeyring(store)
  const ledger = await openLedger({ file: ledgerFile, clock: systemClock }).catch(
    (error: unknown) => {
      keyring.lock()
      throw error
    },
  )
  const vault = makeVault({ installation, keyring, ledger, alarm }, openedSet(files, ledger))
  try {
    if (passphrase !== "without_keys") assertKeysHeld(vault.active(), keyring)
    const at = { ledger, nowMs: systemClock.nowMs() }
    await countAnew(
      () => vault.active(),
      at,
      () => undefined,
    )
    return vault
  } catch (error) {
    await vault.close()
    throw error
  }
}

function openedSet(files: FileSet, { opened }: Ledger): ActiveSet {
  const prices = opened.prices.reduce(withPrice, new Map<number, StoredPrice>())
  const { raises, acceptedHash } = opened
  return makeActiveSet({ ...files, prices, raises, acceptedHash }, opened.keys, opened.clients)
}

type Parts = Pick<Vault, "installation" | "keyring" | "ledger"> & {
  readonly alarm: string | undefined
}

function makeVault({ alarm: firstAlarm, ...parts }: Parts, first: ActiveSet): Vault {
  const { keyring, ledger } = parts
  let set = first
  let alarm = firstAlarm
  return {
    ...parts,
    clock: systemClock,
    badTokens: countBadTokens(systemClock.nowMs()),
    active: () => set,
    alarm: () => alarm,
    inTurn: oneAtATime(),
    // Nothing is awaited before the set is exchanged: whoever asks next is judged by the new one.
    act: async (entry) => {
      const next = applyAct(set, entry)
      const recorded = ledger.act(entry, systemClock.nowMs())
      set = next
      return recorded
    },
    adopt: async (files, why) => {
      const nowMs = systemClock.nowMs()
      let recorded: Promise<unknown> | undefined
      const next = withFiles(set, files)
      const current = () => ({ ...next, keys: set.keys })
      await countAnew(current, { ledger, nowMs }, () => {
        // Bindings and prices may have changed while it was counted; what limits count hasn't.
        set = withFiles(set, files)
        alarm = why
        recorded = ledger.act(
          { act: "set_activated", hash: files.filesHash, files: files.texts },
          nowMs,
        )
      })
      await recorded
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
