import { oneAtATime } from "../std/one-at-a-time.ts"
import { makeActiveSet, withFiles, type ActiveSet, type FileSet } from "./active-set.ts"
import { applyAct } from "./apply-act.ts"
import { countBadTokens } from "./authenticate.ts"
import { openAutoFreeze } from "./auto-freeze.ts"
import { openCheckpoints } from "./checkpoints.ts"
import { systemClock } from "./clock.ts"
import { claimSigners } from "./claim-signers.ts"
import { countAnew } from "./count-anew.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { openKeyring } from "./keyring/open-keyring.ts"
import type { AdminEntry, Ledger, StoredPrice } from "./ledger/ledger.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { openHeartbeats } from "./heartbeats.ts"
import { holdKeys } from "./hold-keys.ts"
import { loadUsableFiles } from "./load-usable-files.ts"
import { lockedStore, noSecret, openKeyStore, type SecretSource } from "./open-key-store.ts"
import { matchKeys } from "./match-keys.ts"
import { openOutbox } from "./outbox.ts"
import { assertTrustedDirectory } from "./read-config-file.ts"
import { signerDirOf } from "./signer-dir-of.ts"
import { withPrice } from "./reference-prices.ts"
import type { Vault } from "./vault.ts"
import { watchedLedger } from "./watched-ledger.ts"

/**
 * Opens an installation: files, key store, ledger, in that order, so that a wrong passphrase or a broken
 * file leaves nothing behind. It holds the ledger's exclusive lock until it is closed.
 * With `without_keys` it asks for no secret and can sign nothing.
 *
 * Files that can't be used are replaced by the last ones that were in force, if there are any. `onAct`
 * hears of every act once it is in force.
 *
 * @throws {Fault} with a sentence that says what to mend.
 */
export async function openVault(
  installation: Installation,
  secret: SecretSource | "without_keys",
  onAct: (entry: AdminEntry) => void = () => undefined,
): Promise<Vault> {
  const { files, alarm } = await loadUsableFiles(installation)
  await assertTrustedDirectory(installation.stateDir)
  const source = secret === "without_keys" ? noSecret : secret
  const store =
    secret === "without_keys"
      ? lockedStore()
      : await openKeyStore(files.config, installation, source)
  const keyring = await openKeyring(store)
  const { ledger, checkpoints } = await openRecords(installation, files).catch((error: unknown) => {
    keyring.lock()
    throw error
  })
  const parts = { installation, keyring, ledger, checkpoints, secret: source, alarm, onAct }
  const vault = makeVault(parts, openedSet(files, ledger))
  try {
    if (secret !== "without_keys") {
      await matchKeys(vault.active(), keyring)
      await claimSigners(vault.active(), ledger)
    }
    const at = { ledger, nowMs: ledger.safety.believed(systemClock.nowMs()) }
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

async function openRecords(
  installation: Installation,
  { config }: FileSet,
): Promise<Pick<Vault, "ledger" | "checkpoints">> {
  const { ledgerFile, ledgerKeyFile: keyFile } = pathsOf(installation)
  const clock = systemClock
  const signerDir = signerDirOf(config, installation)
  const { maxStartGapMs } = config
  const ledger = await openLedger({ file: ledgerFile, clock, signerDir, maxStartGapMs })
  try {
    return { ledger, checkpoints: await openCheckpoints({ keyFile, ledger, clock }) }
  } catch (error) {
    await ledger.close()
    throw error
  }
}

function openedSet(files: FileSet, { opened }: Ledger): ActiveSet {
  const prices = opened.prices.reduce(withPrice, new Map<number, StoredPrice>())
  const { raises, acceptedHash, freezes, armed } = opened
  return makeActiveSet(
    { ...files, prices, raises, acceptedHash, freezes, armed },
    opened.keys,
    opened.clients,
  )
}

type Parts = Pick<Vault, "installation" | "keyring" | "ledger" | "checkpoints"> & {
  readonly secret: SecretSource
  readonly alarm: string | undefined
  readonly onAct: (entry: AdminEntry) => void
}

function makeVault({ alarm: firstAlarm, secret, onAct, ...parts }: Parts, first: ActiveSet): Vault {
  const { ledger } = parts
  let set = first
  let alarm = firstAlarm
  const custody = holdKeys({ ...parts, secret, active: () => set })
  const active = (): ActiveSet => set
  // Nothing is awaited before the set is exchanged: whoever asks next is judged by the new one.
  const act: Vault["act"] = async (entry) => {
    const next = applyAct(set, entry)
    const recorded = ledger.act(entry, systemClock.nowMs())
    set = next
    onAct(entry)
    return recorded
  }
  return {
    ...parts,
    ...custody,
    ...watches(ledger, { active, act, clock: systemClock }),
    badTokens: countBadTokens(systemClock.nowMs()),
    active,
    alarm: () => alarm,
    inTurn: oneAtATime(),
    act,
    adopt: async (files, why) => {
      // By a clock that leaped ahead, what is used would lie behind every window.
      const nowMs = ledger.safety.believed(systemClock.nowMs())
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
    close: () => closeAll(parts),
  }
}

/** What sees trouble, and the ledger as it is seen by it. */
function watches(ledger: Ledger, vault: Pick<Vault, "active" | "act" | "clock">) {
  const { clock } = vault
  const autoFreeze = openAutoFreeze(vault)
  return {
    clock,
    autoFreeze,
    ledger: watchedLedger(ledger, autoFreeze),
    heartbeats: openHeartbeats(clock),
    outbox: openOutbox(clock),
  }
}

async function closeAll({
  keyring,
  ledger,
  checkpoints,
}: Pick<Parts, "keyring" | "ledger" | "checkpoints">) {
  keyring.lock()
  await checkpoints.signChanges().catch(() => undefined) // whatever is wrong, the lock is given back
  await ledger.close()
}
