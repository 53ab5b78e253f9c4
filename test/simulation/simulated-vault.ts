import type { FileSet } from "../../src/vault/config/load-files.ts"
import { claimSigners, matchKeys } from "../../src/vault/custody/custody.ts"
import { openKeyring } from "../../src/vault/keyring/keyring.ts"
import { openLedgerOver } from "../../src/vault/ledger/open-ledger.ts"
import type { OpenSigner } from "../../src/vault/ledger/signers/signer-marks.ts"
import { assembleVault, countUsed } from "../../src/vault/open-vault.ts"
import type { Clock } from "../../src/vault/process/clock.ts"
import { noListener } from "../../src/vault/process/log.ts"
import type { Vault } from "../../src/vault/vault.ts"
import type { DiskFiles } from "../../src/vault/active/files-on-disk.ts"
import { openDiskSpace } from "../../src/vault/watch/disk-space.ts"
import { fakeCurve, fakeKeyStore } from "./fake-curve.ts"
import type { MemoryStore } from "./store/memory-store.ts"

/** What a vault is opened over. */
export type Machine = {
  readonly store: MemoryStore
  readonly signers: OpenSigner
  readonly clock: Clock
  readonly files: FileSet
}

/** Opens a vault as a start of the daemon does, over ports of the simulation. */
export async function openSimulatedVault({
  store,
  signers,
  clock,
  files,
}: Machine): Promise<Vault> {
  const keyring = await openKeyring(fakeKeyStore(), fakeCurve)
  const open = () => Promise.resolve({ store, state: store.state() })
  const ledger = await openLedgerOver(open, { clock, signers })
  const vault = assembleVault({
    installation: { configDir: "/nowhere", stateDir: "/nowhere" },
    ...{
      keyring,
      ledger,
      clock,
      checkpoints: noCheckpoints,
      disk: openDiskSpace(() => Promise.resolve(0), 0),
    },
    ...{ listener: noListener, curve: fakeCurve, files, onDisk: noDisk(files) },
    surroundings: { startedBy: "service", warnings: [] },
    secret: () => Promise.reject(new Error("nobody is asked")),
  })
  await matchKeys(vault.active(), keyring)
  await claimSigners(vault.active(), ledger)
  await countUsed(vault)
  return vault
}

/** The files on disk are those in force, and nothing is kept. */
function noDisk(files: FileSet): DiskFiles {
  return {
    load: () => Promise.resolve(files.texts),
    parse: () => files,
    keep: () => Promise.resolve(),
    isRolledBack: false,
  }
}

const noCheckpoints: Vault["checkpoints"] = {
  sign: () => Promise.resolve(false),
  signChanges: () => Promise.resolve(),
  signIfDue: () => Promise.resolve(),
  alarms: () => [],
}
