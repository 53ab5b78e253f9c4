import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { memoryFlags } from "../../../src/commands/daemon/process-flags.ts"
import { processesBelow } from "../../support/process-tree.ts"
import { rawPost } from "../load/post.ts"
import { orders, ordersPath } from "../order.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { startServer, type Server } from "../start-server.ts"

/** Starts the least that signs honestly, with its ledger on the disk that the daemon's is on, and the orders for it. */
export async function startMinimum(): Promise<Server & { readonly posts: readonly string[] }> {
  const token = randomBytes(32).toString("base64url")
  const server = await startBeside((ledger) => [programOf("honest-minimum"), token, ledger])
  const { url } = server
  const posts = orders.map((order) =>
    rawPost({ url, path: ordersPath, token, body: JSON.stringify(order) }),
  )
  return { ...server, posts }
}

/** Starts the least in the daemon's shape, with the daemon's flags. */
export async function startTwoProcesses(): Promise<Server & Pick<Daemon, "pids">> {
  const program = programOf("two-processes")
  const server = await startBeside((ledger) => [...memoryFlags, program, ledger])
  const vault = processesBelow(server.pid).map(({ pid }) => pid)
  return { ...server, pids: { gate: [server.pid], vault } }
}

/** Starts the daemon's hops with nothing at any of them, with the daemon's flags. */
export function startChain(): Promise<Server> {
  return startBeside((ledger) => [...memoryFlags, programOf("chain"), `${ledger}.sock`])
}

function programOf(name: string): string {
  return join(import.meta.dirname, `${name}.ts`)
}

async function startBeside(argsOf: (ledger: string) => readonly string[]): Promise<Server> {
  const dir = await mkdtemp(join(tmpdir(), "cs-beside-"))
  const server = await startServer(process.execPath, argsOf(join(dir, "ledger.db")))
  return {
    ...server,
    stop: async () => {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
