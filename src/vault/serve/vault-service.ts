import { watch } from "node:fs"

import * as z from "zod"

import type { AdminResults } from "../../link/calls/methods.ts"
import type { LinkServer } from "../../link/server.ts"
import { Fault } from "../../std/fault.ts"
import type { ServiceNotify } from "../../std/systemd.ts"
import type { FilesInForce, ActiveSet } from "../active/active-set.ts"
import { pathsOf, type Installation } from "../config/installation.ts"
import { keepStop } from "../config/kept-set.ts"
import type { Keyring } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Outbox } from "../ledger/outbox.ts"
import { reload } from "../operator/files-in-force.ts"
import { logFailure, log } from "../process/log.ts"
import { selfTest, watchdogBeat } from "../status/self-test.ts"
import { signingNow } from "../status/signing.ts"
import type { StatusSources } from "../status/sources.ts"
import { counted } from "../status/warnings.ts"

/** A vault as systemd sees it; without systemd it only reloads. */
export type VaultService = ReturnType<typeof vaultService>

/** Between looks at the status where no watchdog sets the pace. */
const usualWatchdogMs = 20_000

/** What systemd is told of, and has loaded anew. */
type Served = StatusSources & FilesInForce

/** Tells systemd what a vault does, all along. */
export function vaultService(vault: Served, service: ServiceNotify) {
  const { watchdogMs = usualWatchdogMs } = service
  const refusals = refusalNote(vault)
  let shown = ""
  let beats: NodeJS.Timeout | undefined
  const line = (): string => (shown = statusLine(vault, refusals.last()))
  const refresh = (): void => {
    const before = shown
    if (line() !== before) service.status(shown)
  }
  const feed = watchdogFeed(vault, service)
  const beat = (): void => {
    refresh()
    void feed()
  }
  return {
    /** It serves. From now on the status is kept true, and the watchdog fed. */
    ready(): void {
      service.ready(line())
      if (service.isHeard) beats = setInterval(beat, watchdogMs / 2).unref()
    },
    /** Puts the files on disk in force as {@link reload} does, and says so. */
    async reload(hash?: string): Promise<AdminResults["reload"]> {
      service.reloading("loading policies")
      try {
        return await reload(vault, hash)
      } catch (error) {
        refusals.note(error)
        throw error
      } finally {
        service.ready(line())
      }
    },
    stopping(): void {
      clearInterval(beats)
      service.stopping()
    },
  }
}

/** Nothing without a watchdog. */
function watchdogFeed(sources: StatusSources, service: ServiceNotify): () => Promise<void> {
  if (service.watchdogMs === undefined) return () => Promise.resolve()
  return watchdogBeat({
    test: () => selfTest(sources),
    alive: () => service.alive(),
    tell: logSelfTest,
  })
}

function logSelfTest(event: "failed" | "passed", error?: unknown): void {
  if (event === "failed") logFailure("self_test_failed", error)
  else log({ level: "info", event: "self_test_passed" })
}

/** Why the files on disk were refused last; it holds until others are put in force. */
function refusalNote({ active, differ }: FilesInForce) {
  const inForce = () => active().policies // made anew with every set of files
  let last: { readonly message: string; readonly while: unknown } | undefined
  return {
    note(error: unknown): void {
      const message = error instanceof Fault ? error.message : "unknown error"
      last = { message: `the files on disk were refused: ${message}`, while: inForce() }
    },
    last: (): string | undefined => (last?.while === inForce() ? last.message : differ()?.message),
  }
}

const told = z.array(z.string()).readonly()

/** What the vault tells its parent over IPC, once. */
export const vaultMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), warnings: told }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])
export type VaultMessage = z.infer<typeof vaultMessages>

/** For the answers to those who waited; whoever asks meanwhile is told the same. */
const answeringMs = 50

/**
 * Ends the process with 1 soon after the ledger broke, so that the one that is started in its place reads
 * what the disk holds.
 */
export function endWithLedger(ledger: Ledger, keyring: Keyring): void {
  void ledger.broken.then((fault) => {
    logFailure("ledger_broken", fault)
    setTimeout(() => {
      keyring.lock() // overwrites the keys
      process.exit(1)
    }, answeringMs)
  })
}

/** Of a policy's hash, enough to tell two apart. */
const shownHashDigits = 12

/**
 * What a vault does now, for the line that `systemctl status` shows: what it signs and why not more, then what it
 * has, then `refused`: why the files on disk aren't in force.
 */
export function statusLine(sources: StatusSources, refused = sources.differ()?.message): string {
  return [signingNow(sources).words, setWords(sources.active()), refused]
    .filter((part) => part !== undefined)
    .join("; ")
}

function setWords({ usableKeys, clients, policyHash }: ActiveSet): string {
  const served = clients.filter(({ token_hash }) => token_hash !== null).length
  const policy = policyHash.slice(0, shownHashDigits)
  return `${counted(usableKeys.size, "key")}, ${counted(served, "client")}, policy ${policy}…`
}

/**
 * Ends the process in good order at SIGTERM, and when the parent that started it is gone: answers what is at
 * work, wipes the keys, gives the lock back. That somebody asked for it is kept last of all, so that it is only said of
 * an end that came to its end.
 */
export function stopOnSignal(
  vault: {
    readonly outbox: Outbox
    readonly installation: Installation
    close(): Promise<void>
  },
  service: Pick<VaultService, "stopping">,
  servers: readonly LinkServer[],
): void {
  let isStopping = false
  const stop = (isAsked: boolean): void => {
    if (isStopping) return
    isStopping = true
    service.stopping()
    vault.outbox.end() // a gate that waits for requests would hold the sockets open
    void Promise.all(servers.map((server) => server.close()))
      .then(() => vault.close())
      .then(() => (isAsked ? keepStop(vault.installation) : undefined))
      .finally(() => process.exit())
  }
  const parent = process.ppid
  // Systemd sends it to what is left of a unit whose main process has died.
  process.on("SIGTERM", () => stop(process.ppid === parent))
  process.on("SIGINT", () => undefined) // a terminal sends it to all; the parent stops us in order
  process.on("disconnect", () => stop(false))
  // The parent may have gone while the vault was opened.
  if (process.send !== undefined && !process.connected) stop(false)
}

/** SIGHUP loads the files anew, and so does a change of them where countersign.yaml says so. */
export function reloadOnSignal(files: FilesInForce, service: Pick<VaultService, "reload">): void {
  const reloadAndLog = (): void => {
    service.reload().then(
      ({ policy_hash }) => log({ level: "info", event: "reloaded", policy_hash }),
      (error: unknown) => logFailure("reload_failed", error),
    )
  }
  process.on("SIGHUP", reloadAndLog)
  if (files.active().config.reloadOnChange) watchFiles(files.installation, reloadAndLog)
}

/** Editors write a file in several steps; a set is read when nothing has changed for so long. */
const quietMs = 250

/** Calls `changed` after the configuration's files have changed. Ends with the process. */
function watchFiles(installation: Installation, changed: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  }
  for (const directory of [installation.configDir, pathsOf(installation).policiesDir]) {
    watch(directory, (_, name) => {
      if (name === null || /\.ya?ml$/i.test(name)) later()
    })
  }
}
