import { processesBelow, until } from "../../support/process-tree.ts"
import type { Settings } from "../case.ts"
import { startServer, type Server } from "../start-server.ts"
import { launcherOf } from "./built-program.ts"
import type { Site } from "./make-site.ts"

export type Daemon = Server & {
  readonly tokens: readonly string[]
  readonly pids: {
    readonly gate: readonly number[]
    readonly vault: readonly number[]
    /** Where its ledger is on PostgreSQL. */
    readonly relay?: readonly number[]
  }
}

/** Starts a daemon in an installation, and waits until it would sign. */
export async function serveSite({
  program,
  checkout,
  dir,
  bots,
}: Pick<Site, "dir" | "bots"> &
  Pick<Settings, "program"> & { readonly checkout?: string | undefined }): Promise<Daemon> {
  const launcher = await launcherOf(program, checkout)
  const server = await startServer(process.execPath, [
    launcher,
    "serve",
    "--dir",
    dir,
    "--port",
    "0",
  ])
  await until(async () => {
    const { ok } = await fetch(`${server.url}/readyz`)
    return ok ? true : undefined
  }, "the daemon is ready")
  const relay = pidsOf(server.pid, "/relay/main.")
  return {
    ...server,
    tokens: bots.map(({ token }) => token),
    pids: {
      gate: pidsOf(server.pid, "/gate/main."),
      vault: pidsOf(server.pid, "/vault/main."),
      ...(relay.length > 0 && { relay }),
    },
  }
}

function pidsOf(pid: number, entry: string): readonly number[] {
  return processesBelow(pid)
    .filter(({ commandLine }) => commandLine.includes(entry))
    .map((each) => each.pid)
}
