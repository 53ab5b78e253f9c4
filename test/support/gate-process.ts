import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { TestContext } from "node:test"

import { gateAppDirectories, gatePermissionFlags } from "../../src/commands/daemon/process-flags.ts"
import { mainOf, node, published } from "./published.ts"

export type GateProcess = {
  readonly child: ChildProcess
  /** What it told us first, parsed; `undefined` when it ended without a word. */
  readonly message: { readonly type: string; readonly port?: number; readonly code?: string }
  /** Everything on stderr so far. */
  stderr(): string
  /** Exit code, or the signal that killed it. */
  readonly ended: Promise<number | string | null>
}

/** What is published for a run has its dependencies with it. */
const directories = published === undefined ? gateAppDirectories() : [published]

/** Runs the real gate as its supervisor does, under its permission flags, until the test ends. */
export async function startGateProcess(
  t: TestContext,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GateProcess> {
  const child = spawn(node, [...gatePermissionFlags(directories), mainOf("gate"), ...args], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    env: environment,
  })
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string)
  t.after(async () => {
    child.kill("SIGKILL")
    await ended
  })
  let text = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const first = await Promise.race([once(child, "message"), ended.then(() => [])])
  const message = (first[0] ?? { type: "ended" }) as GateProcess["message"]
  return { child, message, stderr: () => text, ended }
}
