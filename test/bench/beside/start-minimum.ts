import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { rawPost } from "../load/post.ts"
import { orders, ordersPath } from "../order.ts"
import { startServer, type Server } from "../start-server.ts"

const program = join(import.meta.dirname, "honest-minimum.ts")

/** Starts the least that signs honestly, with its ledger on the disk that the daemon's is on, and the orders for it. */
export async function startMinimum(): Promise<Server & { readonly posts: readonly string[] }> {
  const dir = await mkdtemp(join(tmpdir(), "countersign-minimum-"))
  const token = randomBytes(32).toString("base64url")
  const server = await startServer(process.execPath, [program, token, join(dir, "ledger.db")])
  const { url } = server
  return {
    ...server,
    posts: orders.map((order) =>
      rawPost({ url, path: ordersPath, token, body: JSON.stringify(order) }),
    ),
    stop: async () => {
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
