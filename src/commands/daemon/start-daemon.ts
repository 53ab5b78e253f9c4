import { z } from "zod"

import { gateAppDirectories, gatePermissionFlags } from "../../gate/permission-flags.ts"
import { pathsOf, type Installation } from "../../vault/installation.ts"
import { loadConfig } from "../../vault/load-files.ts"
import { vaultMessageSchema, type VaultMessage } from "../../vault/vault-message.ts"
import { askPassphrase } from "../passphrase.ts"
import { startChild, type Child } from "./child.ts"
import { keepRunning } from "./keep-running.ts"
import { vaultFlags } from "./vault-flags.ts"

export type DaemonAsk = {
  readonly installation: Installation
  /** Overrides the file in countersign.yaml. */
  readonly passphraseFile?: string | undefined
  /** Overrides the port in countersign.yaml; 0 picks a free one. */
  readonly port?: number | undefined
}

export type Daemon = {
  readonly url: string
  readonly warnings: readonly string[]
  /** Rejects when a process ended and can't be brought back. */
  readonly broken: Promise<never>
  /** Lets the gate finish what it serves, then the vault what it records. */
  stop(): Promise<void>
}

/** What the gate tells over IPC. */
const gateMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), port: z.int() }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

type VaultReady = Extract<VaultMessage, { type: "ready" }>

/**
 * Starts vault and gate and keeps them running: one that ends unasked is started again.
 *
 * @throws {Fault} with the sentence of the process that couldn't start; nothing is left running.
 */
export async function startDaemon(ask: DaemonAsk): Promise<Daemon> {
  const config = await loadConfig(ask.installation)
  const passphraseFile = ask.passphraseFile ?? config.keystore.passphraseFile
  const isAsked = config.keystore.backend === "keystore" && passphraseFile === undefined
  const typed = isAsked ? await askPassphrase() : undefined
  const startVault = (input?: Uint8Array) => vaultProcess({ ...ask, passphraseFile }, input)

  const vault = await startVault(typed)
  const gate = await gateProcess(ask, vault.ready.gate).catch(async (error: unknown) => {
    await vault.stop()
    throw error
  })
  const { host } = vault.ready.gate
  const { port } = gate.ready
  // A passphrase that was typed isn't kept, so a vault that ends then can't come back by itself.
  const vaults = keepRunning(vault, isAsked ? undefined : () => startVault())
  const gates = keepRunning(gate, () => gateProcess({ ...ask, port }, vault.ready.gate))
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    warnings: vault.ready.warnings,
    broken: Promise.race([vaults.broken, gates.broken]),
    stop: async () => {
      await gates.stop()
      await vaults.stop()
    },
  }
}

function vaultProcess(
  { installation, passphraseFile }: DaemonAsk,
  input: Uint8Array | undefined,
): Promise<Child<VaultReady>> {
  const { configDir, stateDir } = installation
  return startChild({
    name: "vault",
    entry: "vault/main",
    nodeFlags: vaultFlags(installation, passphraseFile),
    args: [
      ...["--config-dir", configDir, "--state-dir", stateDir],
      ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
    ],
    messages: vaultMessageSchema,
    input,
  })
}

function gateProcess({ installation, port }: DaemonAsk, gate: VaultReady["gate"]) {
  return startChild({
    name: "gate",
    entry: "gate/main",
    nodeFlags: gatePermissionFlags(gateAppDirectories()),
    args: [
      ...["--host", gate.host, "--port", String(port ?? gate.port)],
      ...["--bot-socket", pathsOf(installation).botSocket],
      ...(gate.baseUrl === undefined ? [] : ["--upstream", gate.baseUrl]),
      ...gate.allowedHosts.flatMap((name) => ["--allowed-host", name]),
    ],
    messages: gateMessageSchema,
  })
}
