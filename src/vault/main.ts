// The process with the keys. It has no network; its parent starts it and learns over IPC when it is ready.

import { parseArgs } from "node:util"
import { buffer } from "node:stream/consumers"

import { adminParams, botParams, type AdminResults, type BotResults } from "../link/methods.ts"
import { serveLink, type LinkServer } from "../link/server.ts"
import { Fault } from "../std/fault.ts"
import { adminMethods } from "./admin-methods.ts"
import { makeAdminSecret } from "./admin-secret.ts"
import { archiveInTime } from "./archive/archive-in-time.ts"
import { runAccepted } from "./attestation.ts"
import { botMethods } from "./bot-methods.ts"
import { frozen } from "./freeze.ts"
import { signCheckpointsInTime } from "./checkpoints.ts"
import { lockWalletKeysInTime } from "./auto-lock.ts"
import { endWithLedger } from "./end-with-ledger.ts"
import { assertSocketPathsFit, pathsOf, type Installation } from "./installation.ts"
import { readSecretFile } from "./keyring/read-secret-file.ts"
import { loadFiles } from "./load-files.ts"
import { logAct } from "./log-act.ts"
import { log, logFailure } from "./log.ts"
import type { SecretSource } from "./open-key-store.ts"
import { openVault } from "./open-vault.ts"
import { reload } from "./reload.ts"
import { standstillOf } from "./safety-methods.ts"
import { secretFileOf } from "./secret-file-of.ts"
import type { VaultMessage } from "./vault-message.ts"
import type { Vault } from "./vault.ts"
import { warningsOf } from "./warnings.ts"
import { watchFiles } from "./watch-files.ts"
import { watchHeartbeats } from "./watch-heartbeats.ts"

process.umask(0o077)
await start()

async function start(): Promise<void> {
  try {
    const { installation, passphraseFile, isStrict } = readArguments()
    assertSocketPathsFit(installation)
    if (isStrict) await loadFiles(installation)
    const vault = await openVault(installation, secretFrom(passphraseFile), logAct)
    await runAccepted(vault)
    const servers = await listen(vault, installation)
    stopOnSignal(vault, servers)
    dropNetwork()
    await recordStart(vault)
    reloadOnSignal(vault)
    lockWalletKeysInTime(vault)
    watchHeartbeats(vault)
    signCheckpointsInTime(vault.checkpoints)
    archiveInTime(vault)
    endWithLedger(vault)
    tellParent({ type: "ready", warnings: startWarnings(vault) })
  } catch (error) {
    const fault =
      error instanceof Fault ? error : new Fault("internal", String(error), { cause: error })
    tellParent({ type: "failed", code: fault.code, message: fault.message }, () => process.exit(1))
  }
}

function readArguments(): {
  readonly installation: Installation
  readonly passphraseFile: string | undefined
  readonly isStrict: boolean
} {
  const { values } = parseArgs({
    options: {
      "config-dir": { type: "string" },
      "state-dir": { type: "string" },
      "passphrase-file": { type: "string" },
      strict: { type: "boolean", default: false },
    },
  })
  const {
    "config-dir": configDir,
    "state-dir": stateDir,
    "passphrase-file": passphraseFile,
  } = values
  if (configDir === undefined || stateDir === undefined) {
    throw new Fault("usage", "The vault needs --config-dir and --state-dir.")
  }
  return { installation: { configDir, stateDir }, passphraseFile, isStrict: values.strict }
}

/** From the file that is named, else from the parent, which asked for it once, on its terminal. */
function secretFrom(file: string | undefined): SecretSource {
  let isAsked = false
  return async (config) => {
    const named = secretFileOf(config, file)
    if (named !== undefined) return readSecretFile(named)
    if (isAsked) throw secretNotKept()
    isAsked = true
    return buffer(process.stdin)
  }
}

function secretNotKept(): Fault {
  return new Fault(
    "passphrase_missing",
    "The passphrase that was typed at the start isn't kept; give it again with countersign unlock.",
  )
}

async function listen(vault: Vault, installation: Installation): Promise<readonly LinkServer[]> {
  const paths = pathsOf(installation)
  const onError = (error: unknown, method: string): void =>
    logFailure("call_failed", error, { method })
  const bots = await serveLink<typeof botParams, BotResults>({
    path: paths.botSocket,
    params: botParams,
    methods: botMethods(vault),
    onError,
  })
  const admin = await serveLink<typeof adminParams, AdminResults>({
    path: paths.adminSocket,
    params: adminParams,
    methods: adminMethods(vault),
    secret: await makeAdminSecret(paths.adminSecretFile),
    onError,
  })
  return [bots, admin]
}

/** Records the start, and the set that runs from now on, so that it can be run again. */
async function recordStart(vault: Vault): Promise<void> {
  const { policyHash, filesHash: hash, texts: files } = vault.active()
  await vault.act({ act: "started", policyHash })
  if (vault.alarm() !== undefined || vault.ledger.opened.lastSet?.hash === hash) return
  await vault.act({ act: "set_activated", hash, files })
}

function startWarnings(vault: Vault): readonly string[] {
  const alarm = vault.alarm()
  return [
    ...vault.active().freezes.map((each) => frozen(each).message),
    ...(alarm === undefined ? [] : [alarm]),
    ...standstillOf(vault).map(({ message }) => message),
    ...vault.checkpoints.alarms(),
    ...warningsOf(vault.active(), vault.clock.nowMs()),
  ]
}

/** SIGHUP loads the files anew, and so does a change of them where countersign.yaml says so. */
function reloadOnSignal(vault: Vault): void {
  const reloadAndLog = (): void => {
    reload(vault).then(
      ({ policy_hash }) => log({ level: "info", event: "reloaded", policy_hash }),
      (error: unknown) => logFailure("reload_failed", error),
    )
  }
  process.on("SIGHUP", reloadAndLog)
  if (vault.active().config.reloadOnChange) watchFiles(vault.installation, reloadAndLog)
}

/** Answers what is at work, wipes the keys, gives the lock back. */
function stopOnSignal(vault: Vault, servers: readonly LinkServer[]): void {
  let isStopping = false
  const stop = (): void => {
    if (isStopping) return
    isStopping = true
    vault.outbox.end() // a gate that waits for requests would hold the sockets open
    void Promise.all(servers.map((server) => server.close()))
      .then(() => vault.close())
      .finally(() => process.exit())
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", () => undefined) // a terminal sends it to all; the parent stops us in order
  process.on("disconnect", stop)
  // The parent may have gone while the vault was opened.
  if (process.send !== undefined && !process.connected) stop()
}

/**
 * Gives up the network where Node can: the sockets that listen go on answering. As of Node 24 there is
 * no such permission; there the unit file's sandbox alone holds.
 */
function dropNetwork(): void {
  const permission = process.permission as { drop?: (scope: string) => void } | undefined
  permission?.drop?.("net")
}

function tellParent(message: VaultMessage, then: () => void = () => undefined): void {
  if (process.send === undefined) then()
  else process.send(message, undefined, undefined, then)
}
