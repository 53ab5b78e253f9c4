import { oneAtATime } from "../std/one-at-a-time.ts"
import { makeActiveSet, withFiles, type ActiveSet, type FileSet } from "./active-set.ts"
import { applyAct } from "./apply-act.ts"
import { countBadTokens } from "./authenticate.ts"
import { systemClock } from "./clock.ts"
import { countAnew } from "./count-anew.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { openKeyring } from "./keyring/open-keyring.ts"
import type { Ledger, StoredPrice } from "./ledger/ledger.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { holdKeys } from "./hold-keys.ts"
import { loadUsableFiles } from "./load-usable-files.ts"
import { lockedStore, noSecret, openKeyStore, type SecretSource } from "./open-key-store.ts"
import { matchKeys } from "./match-keys.ts"
import { assertTrustedDirectory } from "./read-config-file.ts"
import { withPrice } from "./reference-prices.ts"
import type { Vault } from "./vault.ts"

/**
 * Opens an installation: files, key store, ledger, in that order, so that a wrong passphrase or a broken
 * file leaves nothing behind. It holds the ledger's exclusive lock until it is closed.
 * With `without_keys` it asks for no secret and can sign nothing.
 *
 * Files that can't be used are replaced by the last ones that were in force, if there are any.
 *
 * @throws {Fault} with a sentence that says what to mend.
 */
export async function openVault(
  installation: Installation,
  secret: SecretSource | "without_keys",
): Promise<Vault> {
  const { ledgerFile } = pathsOf(installation)
  const { files, alarm } = await loadUsableFiles(installation)
  await assertTrustedDirectory(installation.stateDir)
  const source = secret === "without_keys" ? noSecret : secret
  const store =
    secret === "without_keys"
      ? lockedStore()
      : await openKeyStore(files.config, installation, source)
  const keyring = await openKeyring(store)
  const ledger = await openLedger({ file: ledgerFile, clock: systemClock }).catch(
    (error: unknown) => {
      keyring.lock()
      throw error
    },
  )
  const parts = { installation, keyring, ledger, secret: source, alarm }
  const vault = makeVault(parts, openedSet(files, ledger))
  try {
    if (secret !== "without_keys") await matchKeys(vault.active(), keyring)
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
  readonly secret: SecretSource
  readonly alarm: string | undefined
}

function makeVault({ alarm: firstAlarm, secret, ...parts }: Parts, first: ActiveSet): Vault {
  const { keyring, ledger } = parts
  let set = first
  let alarm = firstAlarm
  const custody = holdKeys({ ...parts, secret, active: () => set })
  return {
    ...parts,
    ...custody,
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
