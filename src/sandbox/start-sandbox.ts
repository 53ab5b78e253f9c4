import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

import { Fault } from "../std/fault.ts"
import { createFaultBox, type VenueFault } from "./faults.ts"
import { serveRequest } from "./serve-request.ts"
import { openKeptVenue, type KeptVenue } from "./state-file.ts"
import { movingTicker, stillTicker } from "./state/market.ts"
import { createVenue } from "./state/venue.ts"

type SandboxSettings = {
  /** 0 takes a free one. */
  readonly port: number
  /** Addresses that may trade from the start. */
  readonly accounts?: readonly string[]
  /** Milliseconds since 1970; the machine's clock if left out. */
  readonly clock?: () => number
  /** Takes one readable line a request. */
  readonly log?: (line: string) => void
  /** Faults that wait from the start. */
  readonly faults?: readonly VenueFault[]
  /** Where the chances of faults and the prices that move come from; 1 if left out. */
  readonly seed?: number
  /** Whether the prices of the ticker move. */
  readonly isMoving?: boolean
  /** Where accepted writes are kept; in memory alone if left out. */
  readonly stateFile?: string | undefined
}

export type Sandbox = {
  readonly port: number
  readonly url: string
  /** Stops listening and ends every connection. */
  readonly close: () => Promise<void>
}

// Loopback alone: anyone who reaches the sandbox may read its orders.
const host = "127.0.0.1"

/**
 * Plays the venue on 127.0.0.1.
 *
 * @throws {Fault} `port_in_use`, `port_unusable`, or `config_invalid` for a state file that it can't use.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { accounts = [], clock = Date.now, log = () => undefined, stateFile } = settings
  const kept = stateFile === undefined ? inMemory(accounts) : openKeptVenue(stateFile, accounts)
  const around = { venue: kept.venue, accepted: kept.keep, ...byChance(settings), clock, log }
  const server = createServer((request, response) => {
    void serveRequest({ request, response }, around)
  })
  try {
    const port = await listen(server, settings.port)
    return { port, url: `http://${host}:${port}`, close: () => close(server, kept) }
  } catch (error) {
    kept.close()
    throw error
  }
}

function byChance({ seed = 1, faults, isMoving = false }: SandboxSettings) {
  return {
    faults: createFaultBox(seed, faults),
    ticker: isMoving ? movingTicker(seed) : stillTicker,
  }
}

function inMemory(accounts: readonly string[]): KeptVenue {
  return { venue: createVenue(accounts), keep: () => undefined, close: () => undefined }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, "listening")
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code // what `once` rejects with is the error event
    throw code === "EADDRINUSE"
      ? new Fault("port_in_use", `Port ${port} is in use; choose another with --port.`, { cause })
      : new Fault("port_unusable", `Port ${port} can't be used; choose another with --port.`, {
          cause,
        })
  }
  return (server.address() as AddressInfo).port // a listening TCP server has one
}

async function close(server: Server, kept: KeptVenue): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, "close")
  kept.close()
}
