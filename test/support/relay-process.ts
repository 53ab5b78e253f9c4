import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { TestContext } from "node:test"

import { gateAppDirectories, relayFlags } from "../../src/commands/daemon/process-flags.ts"
import { mainOf, node, published } from "./published.ts"

export type RelayProcess = {
  readonly child: ChildProcess
  /** What it told us first, parsed; of type `ended` when it ended without a word. */
  readonly message: { readonly type: string; readonly code?: string; readonly message?: string }
  /** Everything on stderr so far. */
  stderr(): string
  /** Resolves once stderr has `part`. */
  said(part: string): Promise<void>
  /** Exit code, or the signal that killed it. */
  readonly ended: Promise<number | string | null>
}

/** Runs the real relay as its supervisor does, under its permission flags, until the test ends. */
export async function startRelayProcess(
  t: TestContext,
  {
    directory,
    files,
    ledgerSocket,
  }: {
    /** Where relay.yaml is. */
    readonly directory: string
    /** What that names. */
    readonly files: readonly string[]
    readonly ledgerSocket: string
  },
): Promise<RelayProcess> {
  const configFile = join(directory, "relay.yaml")
  // What is published for a run has its dependencies with it.
  const directories = published === undefined ? gateAppDirectories() : [published]
  const flags = relayFlags(directories, [configFile, ...files])
  const args = [...flags, mainOf("relay"), "--config", configFile, "--ledger-socket", ledgerSocket]
  const child = spawn(node, args, { stdio: ["ignore", "inherit", "pipe", "ipc"], env: {} })
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string)
  t.after(async () => {
    child.kill("SIGKILL")
    await ended
  })
  let text = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const first = await Promise.race([once(child, "message"), ended.then(() => [])])
  const message = (first[0] ?? { type: "ended" }) as RelayProcess["message"]
  const said = async (part: string): Promise<void> => {
    while (!text.includes(part)) await once(child.stderr ?? child, "data")
  }
  return { child, message, stderr: () => text, said, ended }
}
