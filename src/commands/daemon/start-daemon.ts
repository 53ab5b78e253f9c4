import { join } from "node:path"

import * as z from "zod"

import { assertCanListen, hostInUrl } from "../../gate/listen.ts"
import type { UpstreamSettings } from "../../link/gate-settings.ts"
import { readRelayFile } from "../../relay/load-relay.ts"
import { Fault } from "../../std/fault.ts"
import { gateSettingsOf, type FileSet } from "../../vault/config/load-files.ts"
import { filesToStart } from "../../vault/config/kept-set.ts"
import { signerDirOf, pathsOf, type Installation } from "../../vault/config/installation.ts"
import { secretFileOf } from "../../vault/custody/secret-file.ts"
import { prepareSignerDir } from "../../vault/ledger/signers/signer-lock.ts"
import { vaultMessages } from "../../vault/serve/vault-service.ts"
import { passphraseFor, isPipe } from "../cli/secret-option.ts"
import type { Terminal } from "../cli/terminal.ts"
import { checkedFiles, loadCheckedFiles } from "../installation/checked-files.ts"
import { dialAdmin } from "../installation/admin.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { changedPlaces } from "./changed-places.ts"
import { keepRunning, startChild, type Stopper, type Kept } from "./child.ts"
import { vaultFlags, gateAppDirectories, gatePermissionFlags, relayFlags } from "./process-flags.ts"

type DaemonAsk = {
  readonly installation: Installation
  /** Overrides the file in countersign.yaml. */
  readonly passphraseFile?: string | undefined
  /** Overrides the port in countersign.yaml; 0 picks a free one. */
  readonly port?: number | undefined
  /** Where the passphrase is asked for. */
  readonly terminal: Terminal
  /** Refuses to start on files that can't be used, even where others were in force before. */
  readonly strict?: boolean | undefined
}

export type Daemon = Awaited<ReturnType<typeof startDaemon>>

/**
 * Starts gate and vault, and the relay where the ledger is on PostgreSQL, and keeps them running: one that ends unasked is
 * started again. Whether the gate can listen is asked first, since a port in use is the commonest reason to end, and then
 * nothing was opened yet.
 *
 * @throws {Fault} with the sentence of what couldn't start; nothing is left running.
 */
export async function startDaemon(ask: DaemonAsk) {
  const { installation } = ask
  becomeOwner(installation.stateDir)
  await assertNotRunning(installation)
  const { files, changed } = await filesFor(ask)
  const signerDir = signerDirOf(files.config, installation)
  await prepareSignerDir(signerDir) // its parents too, which the vault may not write
  const named = secretFileOf(files.config, ask.passphraseFile)
  const passphraseFile = named !== undefined && isPipe(named) ? undefined : named
  // A pipe can be read but once, so what came by one is as if it were typed.
  const isAsked = files.config.keystore.backend === "keystore" && passphraseFile === undefined
  const typed = isAsked ? await passphraseFor(ask.terminal, named) : undefined

  const { host, port } = files.config.listen
  await assertCanListen(host, ask.port ?? port)
  const usesKeychain = files.config.keystore.backend === "keychain"
  const startVault = (startedAgain: boolean, input?: Uint8Array) =>
    vaultProcess({ ...ask, startedAgain }, { passphraseFile, input, usesKeychain, signerDir })
  const relays = await startRelay(files, installation)
  // The vault has more to do, so it goes first.
  const [vault, gate] = await bothOrNone(
    startVault(false, typed),
    gateProcess(files, installation, ask.port ?? port),
    relays,
  )
  const gates = keepRunning(gate, () => gateProcess(files, installation, gate.ready.port))
  // A passphrase that was typed isn't kept, so a vault that ends then can't come back by itself.
  const vaults = keepRunning(vault, isAsked ? undefined : () => startVault(true))
  return {
    url: `http://${hostInUrl(host)}:${gate.ready.port}`,
    warnings: vault.ready.warnings,
    /** Where the files say something else than when they were in force last. */
    changed,
    /** Rejects when a process ended and can't be brought back. */
    broken: Promise.race([vaults.broken, gates.broken, relays.broken]),
    /** Has the vault load its files anew. */
    reload: () => {
      relays.signal("SIGHUP")
      vaults.signal("SIGHUP")
    },
    /** Lets the gate finish what it serves, then the vault what it records; then the relay ends, where there is one. */
    stop: async (by: Stopper) => {
      await gates.stop(by)
      await vaults.stop(by)
      await relays.stop(by)
    },
  }
}

/** Where the ledger is on PostgreSQL, the vault waits at its start for the relay to dial it. */
async function startRelay({ config }: FileSet, installation: Installation): Promise<Kept> {
  if (config.postgres === undefined) return noRelay
  return keepRunning(await relayProcess(installation), () => relayProcess(installation))
}

const noRelay: Kept = {
  broken: new Promise<never>(() => undefined),
  signal: () => undefined,
  stop: () => Promise.resolve(),
}

/** Stops the one that did start when the other can't, and what they would need, and throws why. */
async function bothOrNone<One extends Stoppable, Other extends Stoppable>(
  starting: Promise<One>,
  other: Promise<Other>,
  needed: Stoppable,
): Promise<readonly [One, Other]> {
  const started = await Promise.allSettled([starting, other])
  const failed = started.find((each) => each.status === "rejected")
  if (failed === undefined) return [await starting, await other]
  const running = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))
  await Promise.all([...running, needed].map((each) => each.stop()))
  throw failed.reason
}

type Stoppable = { stop(): Promise<void> }

/** As the vault takes them, where the gate can use them too; strictly, only where those on disk can be used. */
async function filesFor({ installation, strict = false }: DaemonAsk) {
  if (strict) await loadCheckedFiles(installation)
  const { files, kept } = await filesToStart(installation, "person")
  const changed = kept === undefined ? [] : changedPlaces(kept.texts, files.texts)
  return { files: checkedFiles(files, installation), changed }
}

async function assertNotRunning(installation: Installation): Promise<void> {
  const link = await dialAdmin(installation)
  if (link === undefined) return
  link.close()
  throw new Fault(
    "already_running",
    `A daemon runs on ${installation.stateDir} already; stop it first, or use another directory.`,
  )
}

/** Starts the vault. `input` is a passphrase that was typed. @throws {Fault} */
export function vaultProcess(
  {
    installation,
    strict,
    startedAgain = false,
  }: {
    readonly installation: Installation
    readonly strict?: boolean | undefined
    /** In the place of one that ended unasked. */
    readonly startedAgain?: boolean
  },
  secret: {
    readonly passphraseFile: string | undefined
    readonly input: Uint8Array | undefined
    readonly usesKeychain: boolean
    readonly signerDir: string
  },
) {
  const { configDir, stateDir } = installation
  const { passphraseFile, input, ...others } = secret
  return startChild({
    name: "vault",
    entry: "vault/main",
    nodeFlags: vaultFlags(installation, { passphraseFile, ...others }),
    args: [
      ...["--config-dir", configDir, "--state-dir", stateDir],
      ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
      ...(startedAgain ? ["--started-again"] : strict === true ? ["--strict"] : []),
    ],
    messages: vaultMessages,
    input,
  })
}

/** What the gate tells over IPC. */
const gateMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), port: z.int() }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

/** Starts the gate. It can read no configuration, so it is told what it needs. @throws {Fault} */
function gateProcess(files: FileSet, installation: Installation, port: number) {
  const { upstream, allowedHosts, keepWarmMs } = gateSettingsOf(files)
  const notifyDirectory = join(installation.configDir, "notify")
  return startChild({
    name: "gate",
    entry: "gate/main",
    nodeFlags: gatePermissionFlags(gateAppDirectories(), notifyDirectory),
    args: [
      ...["--host", files.config.listen.host, "--port", String(port)],
      ...["--bot-socket", pathsOf(installation).botSocket, "--notify-dir", notifyDirectory],
      ...upstreamArguments(upstream),
      ...allowedHosts.flatMap((name) => ["--allowed-host", name]),
      ...(keepWarmMs === undefined ? [] : ["--keep-warm-ms", String(keepWarmMs)]),
    ],
    messages: gateMessages,
  })
}

/** None of it is secret: the arguments of a process can be read by every user. */
function upstreamArguments(upstream: UpstreamSettings | null): readonly string[] {
  if (upstream === null) return []
  const { baseUrl, ca, proxy, deadlineMs } = upstream
  return [
    ...["--upstream", baseUrl, "--upstream-deadline-ms", String(deadlineMs)],
    // With its hyphens a PEM would by itself be taken for an option.
    ...(ca === null ? [] : [`--upstream-ca=${ca}`]),
    ...(proxy === null ? [] : ["--upstream-proxy", proxy]),
  ]
}

/** What the relay tells over IPC. */
const relayMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

/** Starts the relay, which can read the files that relay.yaml names at the time, and no others. @throws {Fault} */
async function relayProcess(installation: Installation) {
  const configFile = join(installation.configDir, "relay.yaml")
  const { ca, certificate, key } = await readRelayFile(configFile)
  return startChild({
    name: "relay",
    entry: "relay/main",
    nodeFlags: relayFlags(gateAppDirectories(), [configFile, ca, certificate, key]),
    args: ["--config", configFile, "--ledger-socket", pathsOf(installation).ledgerSocket],
    messages: relayMessages,
  })
}
