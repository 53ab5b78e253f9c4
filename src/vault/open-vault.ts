import type { LinkPlace } from "../link/server.ts"
import { sayer, putInForce } from "./active/active-set.ts"
import { Fault } from "../std/fault.ts"
import { isThere } from "../std/private-file.ts"
import { oneAtATime } from "../std/one-at-a-time.ts"
import { type DiskFiles, filesOnDisk, watchFilesOnDisk } from "./active/files-on-disk.ts"
import { openCheckpoints } from "./watch/checkpoints.ts"
import type { Config } from "./config/config.ts"
import { filesToStart, type Starter } from "./config/kept-set.ts"
import { assertTrustedDirectory, type FileSet } from "./config/load-files.ts"
import { pathsOf, type Installation, signerDirOf } from "./config/installation.ts"
import { holdKeys, claimSigners, matchKeys } from "./custody/custody.ts"
import { lockedStore, noSecret, openKeyStore, type SecretSource } from "./custody/open-key-store.ts"
import { openKeyring } from "./keyring/keyring.ts"
import { pickCurve } from "./keyring/curve.ts"
import type { Ledger } from "./ledger/ledger.ts"
import { openLedger, openLedgerOver, type LedgerOptions } from "./ledger/open-ledger.ts"
import { openOutbox } from "./ledger/outbox.ts"
import type { Act } from "./ledger/records/row.ts"
import type { RecordId } from "./ledger/records/record-id.ts"
import { signersIn } from "./ledger/signers/signer-marks.ts"
import { prepareLedgerFile } from "./ledger/sqlite/database.ts"
import { giveUpSpare } from "./ledger/sqlite/spare-space.ts"
import { openVaultMetrics } from "./metrics/vault-metrics.ts"
import { adopter } from "./operator/files-in-force.ts"
import { type Clock, systemClock } from "./process/clock.ts"
import { noListener, type VaultListener } from "./process/log.ts"
import { openAccounts } from "./guards/accounts.ts"
import {
  countAnew,
  countElsewhere,
  countLastMinute,
  countOpeners,
  countUncovered,
} from "./request/recount.ts"
import { nothingForGate } from "./status/for-gate.ts"
import { inACommand } from "./status/sources.ts"
import type { Vault } from "./vault.ts"
import { openAutoFreeze } from "./watch/auto-freeze.ts"
import { countBadTokens } from "./watch/bad-tokens.ts"
import { freeBytesAt, openDiskSpace, type DiskSpace } from "./watch/disk-space.ts"
import { openHeartbeats } from "./stops/heartbeat.ts"
import { openVenueClock } from "./watch/venue-clock.ts"

/**
 * Opens an installation: files, key store, ledger, in that order, so that a wrong passphrase or a broken
 * file leaves nothing behind. It holds the ledger's exclusive lock until it is closed.
 * With `without_keys` it asks for no secret and can sign nothing.
 *
 * Its files are those that a start puts in force: {@link filesToStart}.
 *
 * @throws {Fault} with a sentence that says what to fix.
 */
export async function openVault(
  installation: Installation,
  secret: SecretSource | "without_keys",
  around: Partial<Around> = {},
): Promise<Vault> {
  const { listener, surroundings, curve, clock, ledgerDoor, starter } = { ...usual(), ...around }
  listener.opening("loading policies")
  const { files, kept } = await filesToStart(installation, starter)
  await assertTrustedDirectory(installation.stateDir)
  listener.opening("unlocking keys")
  const keyring =
    secret === "without_keys"
      ? { ...(await openKeyring(lockedStore(), curve)), isLocked: () => false }
      : await openKeyring(await openKeyStore({ ...files, installation, secret, curve }), curve)
  const isElsewhere = files.config.postgres !== undefined
  listener.opening(isElsewhere ? "waiting for PostgreSQL" : "checking the ledger")
  const disk = openDiskSpace(() => freeBytesAt(installation.stateDir), files.config.minFreeBytes)
  const opening = openRecords(installation, files, { disk, clock, ledgerDoor })
  const records = await opening.catch((error: unknown) => {
    keyring.lock()
    throw error
  })
  const onDisk = filesOnDisk(installation, kept)
  const own = { installation, keyring, listener, surroundings, curve, onDisk }
  const source = secret === "without_keys" ? noSecret : secret
  const vault = assembleVault({ ...own, ...records, secret: source, disk, clock, files })
  try {
    await makeRoomToStart(vault)
    if (secret !== "without_keys") {
      await matchKeys(vault.active(), keyring)
      await claimSigners(vault.active(), vault.ledger)
    }
    await countUsed(vault)
    await vault.lookAtDisk()
    return vault
  } catch (error) {
    await vault.close()
    throw error
  }
}

/** Counts what is used by now of limits and of the venue's budgets, and what no reading covers of accounts. */
export async function countUsed(vault: Vault): Promise<void> {
  const { ledger } = vault
  await countAnew(() => vault.active(), ledger)
  await countLastMinute(vault.active(), { ledger, nowMs: vault.now() })
  await countUncovered(vault.active(), vault)
}

/** More than a start writes besides the ledger: the admin secret, and marks of new signers. */
const startBytes = 1_048_576

async function makeRoomToStart({ disk, installation }: Vault): Promise<void> {
  await disk.look()
  if ((disk.freeBytes() ?? startBytes) >= startBytes) return
  if (giveUpSpare(pathsOf(installation).ledgerFile)) await disk.look()
}

async function openRecords(
  installation: Installation,
  { config }: FileSet,
  { disk, clock, ledgerDoor }: Pick<Around, "clock" | "ledgerDoor"> & { readonly disk: DiskSpace },
): Promise<Pick<Vault, "ledger" | "checkpoints">> {
  const { ledgerKeyFile: keyFile } = pathsOf(installation)
  const signers = signersIn(signerDirOf(config, installation))
  const { maxStartGapMs } = config
  // While the disk is nearly full refusals are only counted, so that they can't fill it.
  const mayNote = (): boolean => {
    if (disk.low !== undefined) disk.leaveOut()
    return disk.low === undefined
  }
  const options = { clock, signers, maxStartGapMs, mayNote }
  const ledger = await openEngine(installation, config, { options, ledgerDoor })
  try {
    const ask = { keyFile, ledger, clock, isShared: config.postgres?.hosts !== undefined }
    return { ledger, checkpoints: await openCheckpoints(ask) }
  } catch (error) {
    await ledger.close()
    throw error
  }
}

/** How long a start waits for PostgreSQL. */
const reachMs = 20_000

/** What is for PostgreSQL is loaded where the ledger's order is there. */
async function openEngine(
  installation: Installation,
  { postgres }: Config,
  { options, ledgerDoor: place }: { options: LedgerOptions } & Pick<Around, "ledgerDoor">,
): Promise<Ledger> {
  const { ledgerFile: file, isolatedFile, ledgerKeyFile: keyFile } = pathsOf(installation)
  if (postgres === undefined) {
    if (isThere(isolatedFile)) throw notYetInLedger(isolatedFile)
    return openLedger({ file, ...options })
  }
  if (place === undefined) {
    throw new Fault(
      "vault_unavailable",
      "The relay reaches PostgreSQL for the daemon alone; start it, or see its log where it waits for PostgreSQL, then run this again.",
    )
  }
  const { postgresStore } = await import("./ledger/postgres/open-store.ts")
  await prepareLedgerFile(file)
  return openLedgerOver(
    postgresStore({ file, isolatedFile, keyFile, place, postgres, reachMs }),
    options,
  )
}

function notYetInLedger(file: string): Fault {
  return new Fault(
    "ledger_unusable",
    `${file} has cancels that were signed while PostgreSQL couldn't be reached: start once with engine: postgres, which takes them over; or, where PostgreSQL is lost for good, move that file away and keep it.`,
  )
}

/** What a vault is told about, and told of, that isn't in its files. */
type Around = Pick<Vault, "surroundings" | "curve"> & {
  readonly listener: VaultListener
  readonly clock: Clock
  readonly starter: Starter
  /** Where the relay dials; without it no ledger on PostgreSQL can be opened. */
  readonly ledgerDoor?: LinkPlace | undefined
}

function usual(): Around {
  const surroundings = { surroundings: inACommand, starter: "person" } as const
  return { ...surroundings, listener: noListener, curve: pickCurve(), clock: systemClock }
}

type Parts = Pick<Vault, "installation" | "keyring" | "ledger" | "checkpoints" | "disk"> &
  Omit<Around, "starter"> & {
    readonly files: FileSet
    readonly secret: SecretSource
    readonly onDisk: DiskFiles
  }

/** Puts a vault together of parts that are open. */
export function assembleVault({ files, secret, onDisk, ...parts }: Parts): Vault {
  const { ledger, listener } = parts
  const inForce = putInForce(files, ledger)
  const { active } = inForce
  const disk = watchFilesOnDisk(onDisk, { active, now: ledger.now })
  const custody = holdKeys({ ...parts, secret, active })
  // It is followed in the turn in which it is queued: whoever asks next is judged by it.
  const act: Vault["act"] = (entry) => {
    const recorded = ledger.act(entry, ledger.now())
    tellAct(recorded, entry, listener)
    return recorded
  }
  const hear: Vault["hear"] = (entry) => ledger.hear(entry, ledger.now())
  const { say, settle } = sayer({ active, act, hear, now: ledger.now }, ledger.rows)
  return {
    ...parts,
    ...custody,
    ...watches(parts, { active, act }),
    active,
    ...disk,
    inTurn: oneAtATime(),
    act,
    hear,
    say,
    adopt: adopter({ ...parts, inForce, onDisk: disk }),
    async close() {
      await settle().catch(() => undefined) // whatever is wrong, the lock is given back
      await closeAll(parts)
    },
  }
}

function tellAct(recorded: Promise<RecordId>, entry: Act, listener: VaultListener): void {
  recorded.then(
    (record) => listener.acted(entry, record),
    () => undefined, // whoever asked is told
  )
}

/** What sees trouble, and what counts. */
function watches(
  { ledger, listener, clock }: Pick<Parts, "ledger" | "listener" | "clock">,
  { active, act }: Pick<Vault, "active" | "act">,
) {
  const { now } = ledger
  const autoFreeze = openAutoFreeze({ active, act, now, clock })
  const metrics = openVaultMetrics()
  for (const watcher of [metrics.decisions, autoFreeze, listener]) ledger.watch(watcher)
  const accounts = openAccounts(active().profile.accountPoll, now())
  ledger.watch({
    followed(row) {
      countElsewhere(row, active(), ledger)
      countOpeners(row, active(), accounts)
    },
  })
  return {
    now,
    accounts,
    badTokens: countBadTokens(now()),
    autoFreeze,
    metrics,
    heartbeats: openHeartbeats(clock),
    endedTokens: new Map(),
    pollPace: { beganMs: undefined },
    venueClock: openVenueClock(clock),
    forGate: nothingForGate(),
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
