import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import { vaultFlags } from "../../src/commands/daemon/process-flags.ts"
import type { Installation } from "../../src/vault/config/installation.ts"
import { temporaryDirectory } from "./link-peer.ts"
import { startNotifySocket, type NotifySocket } from "./notify-socket.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const perl = "/usr/bin/perl"

export type VaultServiceAsk = {
  readonly installation: Installation
  readonly passphraseFile?: string | undefined
  /** Sockets to open beforehand, by name, and where. */
  readonly sockets?: Readonly<Record<string, string>>
  /** How `systemd/launch` is told what is denied. */
  readonly launchOptions?: readonly string[]
  readonly nodeFlags?: readonly string[]
  readonly args?: readonly string[]
  readonly watchdogMs?: number
  readonly environment?: Readonly<Record<string, string>>
}

export type VaultAsService = {
  readonly pid: number
  readonly notify: NotifySocket
  /** What went to the journal so far. */
  journal(): string
  signal(name: NodeJS.Signals): void
  /** Exit code, or the signal that killed it. */
  readonly ended: Promise<number | string>
}

/**
 * Starts the real vault as its unit does: under its permission flags, by `systemd/launch`, with a notify
 * socket, sockets that were opened before, and the journal as its output. Ends with the test.
 */
export async function startVaultService(
  t: TestContext,
  ask: VaultServiceAsk,
): Promise<VaultAsService> {
  const notify = await startNotifySocket(t)
  const directory = temporaryDirectory()
  const journalFile = join(directory.path, "journal")
  const journal = openSync(journalFile, "a")
  const { dev, ino } = fstatSync(journal, { bigint: true })
  const [program = "", ...args] = commandOf(ask)
  const child = spawn(program, args, {
    stdio: ["ignore", journal, journal],
    env: {
      NOTIFY_SOCKET: notify.path,
      JOURNAL_STREAM: `${dev}:${ino}`,
      ...(ask.watchdogMs === undefined ? {} : { WATCHDOG_USEC: `${ask.watchdogMs * 1_000}` }),
      ...ask.environment,
    },
  })
  closeSync(journal)
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string)
  t.after(async () => {
    child.kill("SIGKILL")
    await ended
    directory.remove()
  })
  return {
    pid: child.pid ?? 0,
    notify,
    journal: () => readFileSync(journalFile, "utf8"),
    signal: (name) => void child.kill(name),
    ended,
  }
}

function commandOf(ask: VaultServiceAsk): readonly string[] {
  const { installation, passphraseFile, sockets = {}, nodeFlags = [], args = [] } = ask
  const { configDir, stateDir } = installation
  const flags = vaultFlags(installation, {
    passphraseFile,
    usesKeychain: false,
    signerDir: join(configDir, "../signers"),
  })
  return [
    ...[perl, fileOf("socket-activation.pl")],
    ...Object.entries(sockets).map(([name, path]) => `${name}=${path}`),
    ...["--", fileOf("../../systemd/launch"), ...(ask.launchOptions ?? []), "--"],
    ...[process.execPath, ...flags, ...nodeFlags, fileOf("../../src/vault/main.ts")],
    ...["--config-dir", configDir, "--state-dir", stateDir],
    ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
    ...args,
  ]
}
