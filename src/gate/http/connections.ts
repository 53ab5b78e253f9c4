import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

import type { GateLimits } from "../process/gate-limits.ts"
import { strangers, type Owner } from "./turns.ts"

type Connection = {
  readonly socket: Duplex
  owner: Owner
  /** Those whose answers haven't left. */
  readonly requests: IncomingMessage[]
}

/**
 * The connections of a gate's servers. When there are more than may be, the owner with the most loses the one that has
 * asked for nothing for the longest time: whoever opens many makes room for others, and a new one is always let in.
 */
export class Connections {
  readonly #limits: Pick<GateLimits, "maxConnections" | "maxPipelined">
  readonly #bySocket = new Map<Duplex, Connection>()
  /** Of each owner those that asked last at the end. */
  readonly #owned = new Map<Owner, Set<Connection>>()

  constructor(limits: Pick<GateLimits, "maxConnections" | "maxPipelined">) {
    this.#limits = limits
  }

  /** Bounds the connections of a server too. */
  watch(http: Server): void {
    http.on("connection", this.#accept)
  }

  /** A request's headers came. `false`: too many are open on its connection, which is cut. */
  open(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    const requests = this.#bySocket.get(socket)?.requests
    if (requests === undefined || requests.length >= this.#limits.maxPipelined) {
      socket.destroy()
      return false
    }
    requests.push(request)
    response.once("close", () => requests.splice(requests.indexOf(request), 1))
    return true
  }

  /** A request on it is this owner's, and so is the connection from now on. */
  belongs(socket: Duplex, owner: Owner): void {
    const connection = this.#bySocket.get(socket)
    if (connection === undefined) return
    this.#leave(connection)
    connection.owner = owner
    this.#enter(connection)
  }

  /** Whether a whole request is at work on it. */
  isAtWork(socket: Duplex): boolean {
    const requests = this.#bySocket.get(socket)?.requests ?? []
    return requests.some(({ complete }) => complete)
  }

  readonly #accept = (socket: Duplex): void => {
    const { maxConnections, maxPipelined } = this.#limits
    const connection: Connection = { socket, owner: strangers, requests: [] }
    this.#bySocket.set(socket, connection)
    this.#enter(connection)
    socket.once("close", () => {
      this.#bySocket.delete(socket)
      this.#leave(connection)
    })
    // Before the parser's own listener: what is cut here is never parsed.
    socket.prependListener("data", (bytes: Buffer) => {
      const isFew = connection.requests.length + countRequests(bytes, maxPipelined) <= maxPipelined
      if (isFew) return
      bytes.fill(0) // the parser gets them all the same, and stops at the first
      socket.destroy()
    })
    if (this.#bySocket.size > maxConnections) oldestOf(this.#owned)?.socket.destroy()
  }

  #enter(connection: Connection): void {
    const all = this.#owned.get(connection.owner) ?? new Set()
    this.#owned.set(connection.owner, all.add(connection))
  }

  #leave(connection: Connection): void {
    const all = this.#owned.get(connection.owner)
    all?.delete(connection)
    if (all?.size === 0) this.#owned.delete(connection.owner)
  }
}

function oldestOf(owned: ReadonlyMap<Owner, ReadonlySet<Connection>>): Connection | undefined {
  const [first, ...others] = owned.values()
  if (first === undefined) return undefined
  const [oldest] = others.reduce((most, each) => (each.size > most.size ? each : most), first)
  return oldest
}

const version = " HTTP/1."

/**
 * How many first lines of requests end in `bytes`, up to more than `enough`. No JSON holds one: a line can't end within
 * a string. One that is cut in two isn't seen, and counts when it is parsed.
 */
function countRequests(bytes: Buffer, enough: number): number {
  let count = 0
  for (let at = bytes.indexOf(version); at !== -1 && count <= enough;) {
    const end = at + version.length + 1
    if (bytes[end] === 0x0d && bytes[end + 1] === 0x0a) count += 1
    at = bytes.indexOf(version, end)
  }
  return count
}
