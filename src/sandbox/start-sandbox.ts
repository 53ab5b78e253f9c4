import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { Fault } from "../std/fault.ts"
import { answerRequest, failure, type Reply, type VenueRequest } from "./answer-request.ts"
import { createVenue, type Venue } from "./venue.ts"

export type SandboxSettings = {
  /** 0 takes a free one. */
  readonly port: number
  /** Addresses that may trade from the start. */
  readonly accounts?: readonly string[]
  /** Milliseconds since 1970; the machine's clock if left out. */
  readonly clock?: () => number
  /** Takes one readable line a request. */
  readonly log?: (line: string) => void
}

export type Sandbox = {
  readonly port: number
  readonly url: string
  /** Stops listening and ends every connection. */
  readonly close: () => Promise<void>
}

// Loopback alone: anyone who reaches the sandbox may read its orders.
const host = "127.0.0.1"
const maxBodyBytes = 65_536

/**
 * Plays the venue on 127.0.0.1. What it remembers is in memory alone.
 *
 * @throws {Fault} `port_in_use` or `port_unusable`.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { accounts = [], clock = Date.now, log = () => undefined } = settings
  const venue = createVenue(accounts)
  const server = createServer((request, response) => {
    void serve({ request, response }, { venue, clock, log })
  })
  const port = await listen(server, settings.port)
  return { port, url: `http://${host}:${port}`, close: () => close(server) }
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }
type Surroundings = {
  readonly venue: Venue
  readonly clock: () => number
  readonly log: (line: string) => void
}

async function serve({ request, response }: Exchange, around: Surroundings): Promise<void> {
  const { method = "", url = "" } = request
  const [path = "", query = ""] = url.split(/\?(.*)/s)
  const contentType = request.headers["content-type"]
  let body: Uint8Array | undefined
  try {
    body = await readBytes(request)
  } catch {
    return // the caller has gone
  }
  const reply = answer(
    { method, path, query: new URLSearchParams(query), contentType, body },
    around,
  )
  send(response, reply)
  // A path may hold bytes that a terminal would obey.
  const shownPath = path.replaceAll(/[^!-~]/g, "?")
  around.log(`${method} ${shownPath} ${reply.status} ${reply.envelope.code} ${reply.note}`)
}

function answer(request: VenueRequest, { venue, clock }: Surroundings): Reply {
  const traceCode = randomUUID()
  try {
    return answerRequest(request, { venue, nowMs: clock() }, traceCode)
  } catch (error) {
    const cause = error instanceof Error ? error.message : "unknown"
    return failure({ name: "internal", msg: `The sandbox failed: ${cause}` }, traceCode)
  }
}

function send(response: ServerResponse, { status, envelope }: Reply): void {
  const text = JSON.stringify(envelope)
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  })
  response.end(text)
}

/** Reads the body to its end; `undefined` when it is longer than `maxBodyBytes`, what is over being dropped. */
async function readBytes(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer // no encoding is set
    sizeBytes += bytes.length
    if (sizeBytes <= maxBodyBytes) chunks.push(bytes)
  }
  return sizeBytes > maxBodyBytes ? undefined : Buffer.concat(chunks)
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

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, "close")
}
