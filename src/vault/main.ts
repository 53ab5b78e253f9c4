// The process with the keys. It has no network. `countersign serve` starts it and learns over IPC when it
// is ready; a unit of systemd learns it from sd_notify(3).

import { parseArgs } from "node:util"

import type { LinkPlace } from "../link/server.ts"
import { Fault } from "../std/fault.ts"
import { readLogLevel } from "../std/log.ts"
import { listenFds, serviceExitCode, serviceNotify, undenied } from "../std/systemd.ts"
import { changedFiles } from "./active/files-on-disk.ts"
import { signCheckpointsInTime } from "./watch/checkpoints.ts"
import { assertSocketPathsFit, pathsOf } from "./config/installation.ts"
import { forgetStop, keepSet, readKeptSet, type Starter } from "./config/kept-set.ts"
import { loadFiles } from "./config/load-files.ts"
import { lockWalletKeysInTime } from "./custody/custody.ts"
import type { SecretSource } from "./custody/open-key-store.ts"
import { secretFileOf, readPipedSecret, readSecretFile } from "./custody/secret-file.ts"
import { pickCurve, type PickedCurve } from "./keyring/curve.ts"
import { openVault } from "./open-vault.ts"
import { runAccepted } from "./operator/files-in-force.ts"
import { logVault, logFailure, log, logFrom } from "./process/log.ts"
import { placeOf, serveSockets } from "./serve-sockets.ts"
import {
  reloadOnSignal,
  stopOnSignal,
  endWithLedger,
  type VaultMessage,
  vaultService,
} from "./serve/vault-service.ts"
import { toldReason, signingNow } from "./status/signing.ts"
import type { StatusSources, Surroundings } from "./status/sources.ts"
import { vaultWarnings } from "./status/warnings.ts"
import { watchDisk } from "./status/watch-disk.ts"
import { watchHeartbeats } from "./stops/heartbeat.ts"
import type { Vault } from "./vault.ts"

process.umask(0o077)
// Whoever has an IPC channel was started by `countersign serve`, which has the descriptors for itself.
const isService = process.send === undefined
const notify = serviceNotify(isService ? process.env : {})
await start()

async function start(): Promise<void> {
  try {
    const descriptors = listenFds()
    const given = parseArguments(process.argv.slice(2))
    logFrom(given.logLevel)
    assertSocketPathsFit(given.installation)
    if (given.isStrict) await loadFiles(given.installation)
    const curve = pickCurve()
    drop("addon")
    const { ledgerSocket } = pathsOf(given.installation)
    const ledgerDoor = placeOf(descriptors, "ledger", ledgerSocket)
    const vault = await open(given, curve, ledgerDoor)
    // The ledger's is started; another could load addons again.
    drop("worker")
    await runAccepted(vault)
    const changed = await takeUp(vault)
    const service = vaultService(vault, notify)
    const servers = await serveSockets(vault, service, descriptors)
    stopOnSignal(vault, service, servers)
    drop("net")
    await recordStart(vault)
    reloadOnSignal(vault, service)
    lockWalletKeysInTime(vault)
    watchHeartbeats(vault)
    signCheckpointsInTime(vault.checkpoints)
    endWithLedger(vault.ledger, vault.keyring)
    watchDisk(vault)
    setInterval(() => void vault.lookAtDisk(), 15_000).unref()
    service.ready()
    tellReady(vault, changed)
  } catch (error) {
    const fault =
      error instanceof Fault ? error : new Fault("internal", String(error), { cause: error })
    tellFailed(fault)
  }
}

function open(
  { installation, passphraseFile, logLevel, starter }: ReturnType<typeof parseArguments>,
  curve: PickedCurve,
  ledgerDoor: LinkPlace,
): Promise<Vault> {
  const surroundings: Surroundings = {
    startedBy: isService ? "service" : "serve",
    warnings: undenied("countersign-vault.service"),
  }
  const listener = {
    // On a terminal the ledger is the place to look for them.
    ...logVault(isService ? "info" : "debug", logLevel),
    opening: (step: string) => notify.status(step),
  }
  return openVault(installation, secretFrom(passphraseFile), {
    ...{ listener, surroundings, curve, ledgerDoor, starter },
  })
}

/** From the file that is named, else from the parent, which asked for it once, on its terminal. */
function secretFrom(file: string | undefined): SecretSource {
  let isAsked = isService
  return async (config) => {
    const named = secretFileOf(config, file)
    if (named !== undefined) return readSecretFile(named)
    if (isAsked) throw secretNotKept()
    isAsked = true
    return readPipedSecret()
  }
}

function secretNotKept(): Fault {
  return new Fault(
    "passphrase_missing",
    isService
      ? "A service has nobody to ask for the passphrase: name a credential in countersign.yaml (keystore: credential), which the unit loads."
      : "The passphrase that was typed at the start isn't kept; give it again with countersign unlock.",
  )
}

/**
 * Before anything is signed by it, keeps the set that a start puts in force, so that the next one takes it up whatever
 * ends this one. Names the files of it that are others than before.
 */
async function takeUp(vault: Vault): Promise<readonly string[]> {
  const { installation } = vault
  const [set, kept] = [vault.active(), await readKeptSet(installation)]
  if (kept?.policyHash !== set.policyHash) await keepSet(set, false, installation)
  await forgetStop(installation)
  return kept === undefined ? [] : changedFiles(kept.texts, set.texts)
}

/** Records the start, and the set that runs from now on, so that it can be run again. */
async function recordStart(vault: Vault): Promise<void> {
  const { policyHash, texts: files } = vault.active()
  await vault.act({ act: "started", policy_hash: policyHash })
  if (vault.ledger.lastSet?.hash === policyHash) return
  await vault.act({ act: "set_activated", hash: policyHash, files })
}

function startWarnings(sources: StatusSources): readonly string[] {
  const warnings = vaultWarnings(sources).map(({ message }) => message)
  return [...signingNow(sources).reasons.map(toldReason), ...warnings]
}

/**
 * Gives up what was needed to start, where Node can: what is loaded stays, and sockets that listen go on
 * answering. As of Node 24 there is no permission for the network; there the unit file's sandbox alone holds.
 */
function drop(scope: "addon" | "worker" | "net"): void {
  const permission = process.permission as { drop?: (scope: string) => void } | undefined
  permission?.drop?.(scope)
}

/** A parent shows the warnings itself, and what changed, which it knows. */
function tellReady(sources: StatusSources, changed: readonly string[]): void {
  const warnings = startWarnings(sources)
  if (!isService) {
    tellParent({ type: "ready", warnings }, () => undefined)
    return
  }
  if (changed.length > 0)
    log({ level: "info", event: "files_changed", message: changedText(changed) })
  log({ level: "info", event: "ready", curve: sources.curve.name })
  for (const message of warnings) log({ level: "warn", event: "warning", message })
}

function changedText(names: readonly string[]): string {
  return `The files have changed since the last stop, and are in force now: ${names.join(", ")}; countersign policy log says what changed.`
}

function tellFailed(fault: Fault): void {
  if (!isService) {
    tellParent({ type: "failed", code: fault.code, message: fault.message }, () => process.exit(1))
    return
  }
  notify.status(fault.message)
  logFailure("start_failed", fault)
  process.exit(serviceExitCode(fault.code))
}

function tellParent(message: VaultMessage, then: () => void): void {
  process.send?.(message, undefined, undefined, then)
}

/** What the vault was started with. @throws {Fault} `usage`. */
function parseArguments(argv: readonly string[]) {
  const values = parseOptions(argv)
  const { "config-dir": configDir, "state-dir": stateDir } = values
  if (configDir === undefined || stateDir === undefined) {
    throw new Fault("usage", "The vault needs --config-dir and --state-dir.")
  }
  const starter: Starter = values["started-again"] ? "supervisor" : "person"
  return {
    installation: { configDir, stateDir },
    passphraseFile: values["passphrase-file"],
    /** Refuses files on disk that can't be used, even where others were in force before. */
    isStrict: values.strict,
    starter,
    logLevel: values["log-requests"] ? "debug" : readLogLevel(),
  }
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        "config-dir": { type: "string" },
        "state-dir": { type: "string" },
        "passphrase-file": { type: "string" },
        strict: { type: "boolean", default: false },
        "started-again": { type: "boolean", default: false },
        "log-requests": { type: "boolean", default: false },
      },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The vault was started with an argument it doesn't know.", { cause })
  }
}
