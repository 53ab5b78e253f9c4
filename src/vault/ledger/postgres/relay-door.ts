import { createServer, type Socket } from "node:net"

import { listenOnFd, listenOnPath } from "../../../link/server.ts"
import { Fault } from "../../../std/fault.ts"
import { SharedConnections } from "../../../std/shared-connections.ts"

/** A way to a server of PostgreSQL that the relay has opened. */
export type Way = { readonly server: string; readonly stream: Socket }

/** Where the relay dials. Nothing here ever dials. */
export type RelayDoor = Awaited<ReturnType<typeof openRelayDoor>>

/** The file that is made where the relay dials, or a socket that listens already. */
export type DoorPlace = { readonly path: string } | { readonly fd: number }

/** What the relay says first, `{"server":"…"}`, and for how long it may keep it to itself. */
const greeting = /^\{"server":"([a-z0-9-]{1,32})"\}\n$/
const maxGreetingBytes = 64
const greetingMs = 2_000
/** Twice what the relay may have: one for each server. */
const maxConnections = 16

/** Listens for the relay. @throws {Fault} as `serveLink` does. */
export async function openRelayDoor(place: DoorPlace) {
  let expect: ((way: Way) => void) | undefined
  const shared = new SharedConnections<"the relay's" | "silent">(maxConnections)
  const server = createServer((stream) => {
    stream.on("error", () => stream.destroy())
    shared.enter(stream, "silent")
    // A way that nobody waits for is given back: the relay tries again.
    if (expect === undefined) stream.destroy()
    else {
      greet(stream, (server) => {
        shared.asks(stream, "the relay's")
        ;(expect ?? drop)({ server, stream })
      })
    }
  })
  if ("fd" in place) await listenOnFd(server, place.fd)
  else await listenOnPath(server, place.path, 0o600)
  return {
    /** The next way that is opened. @throws {Fault} `ledger_unavailable` when none is within `timeoutMs`. */
    next(timeoutMs: number): Promise<Way> {
      const { promise, resolve, reject } = Promise.withResolvers<Way>()
      const timer = setTimeout(() => reject(nobodyCame(timeoutMs)), timeoutMs).unref()
      expect = (way) => {
        expect = undefined
        resolve(way)
      }
      return promise.finally(() => {
        expect = undefined
        clearTimeout(timer)
      })
    },
    close: () => void server.close(),
  }
}

const drop = ({ stream }: Way): void => void stream.destroy()

/** Reads the relay's first line, byte by byte up to its end: what follows is the server's. */
function greet(stream: Socket, then: (server: string) => unknown): void {
  let line = ""
  const timer = setTimeout(() => stream.destroy(), greetingMs)
  const read = (): void => {
    while (!line.endsWith("\n") && line.length < maxGreetingBytes) {
      const byte = stream.read(1) as Buffer | null
      if (byte === null) return
      line += byte.toString("latin1")
    }
    clearTimeout(timer)
    stream.off("readable", read)
    const server = greeting.exec(line)?.[1]
    if (server === undefined) stream.destroy()
    else then(server)
  }
  stream.on("readable", read)
  stream.once("close", () => clearTimeout(timer))
}

function nobodyCame(timeoutMs: number): Fault {
  return new Fault(
    "ledger_unavailable",
    `No server of PostgreSQL was reached in ${Number((timeoutMs / 1_000).toFixed(2))} s; see the relay's log.`,
  )
}
