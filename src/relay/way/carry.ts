import type { Socket } from "node:net"
import { pipeline } from "node:stream/promises"
import { setTimeout as after } from "node:timers/promises"

/**
 * Carries bytes both ways, no faster than each side takes them. When one side ends, the other is told and may finish for
 * `lingerMs`; then both are closed.
 */
export async function carry(server: Socket, vault: Socket, lingerMs: number): Promise<void> {
  const ways = [pipeline(server, vault), pipeline(vault, server)]
  const over = Promise.allSettled(ways)
  await Promise.race(ways).catch(() => undefined) // whoever watches the sockets knows why
  const done = new AbortController()
  await Promise.race([
    over.finally(() => done.abort()),
    after(lingerMs, undefined, { signal: done.signal }).catch(() => undefined),
  ])
  server.destroy()
  vault.destroy()
}
