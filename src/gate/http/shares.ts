// Who gets what of a bound that several share: connections, places, and turns, in which the vault is asked.

import { hash } from "node:crypto"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

import type { BotLink } from "../../contract/client.ts"
import { SharedConnections } from "../../std/shared-connections.ts"
import type { GateLimits } from "../process/gate-limits.ts"

/** Whose a request is. It decides turns alone; whether a token is good the vault says at each call. */
type Owner = string

/** All who bring no token, or one that the vault hasn't told of: they share one part. */
export const strangers: Owner = ""

/** Tells the owner of a token. */
export type OwnerOf = (token: string | undefined) => Owner

/** How often the vault is asked at most for the tokens that it knows. */
const renewMs = 1_000

/**
 * Knows the tokens that the vault tells digests of; `ask` is asked when an unknown one comes, so that a new client is a
 * stranger for its first call alone. While the vault is away those of its last answer are known.
 */
export function tokenOwners(ask: () => Promise<readonly string[]>): OwnerOf {
  let known: ReadonlySet<string> = new Set()
  let askedMs = -Infinity
  const renew = async (): Promise<void> => {
    if (performance.now() - askedMs < renewMs) return
    askedMs = performance.now()
    known = new Set(await ask().catch(() => known))
  }
  return (token) => {
    if (token === undefined) return strangers
    const digest = `0x${hash("sha256", token)}`
    if (known.has(digest)) return digest
    void renew()
    return strangers
  }
}

/** The connections of a gate's servers, and what is open on each. */
export class Connections {
  readonly #maxPipelined: number
  readonly #shared: SharedConnections<Owner>
  /** Of each connection those whose answers haven't left. */
  readonly #requests = new WeakMap<Duplex, IncomingMessage[]>()

  constructor({
    maxConnections,
    maxPipelined,
  }: Pick<GateLimits, "maxConnections" | "maxPipelined">) {
    this.#maxPipelined = maxPipelined
    this.#shared = new SharedConnections(maxConnections)
  }

  /** Bounds the connections of a server too. */
  watch(http: Server): void {
    http.on("connection", this.#accept)
  }

  /** A request's headers came. `false`: too many are open on its connection, which is cut. */
  open(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request
    const requests = this.#requests.get(socket)
    if (requests === undefined || requests.length >= this.#maxPipelined) {
      socket.destroy()
      return false
    }
    requests.push(request)
    response.once("close", () => requests.splice(requests.indexOf(request), 1))
    return true
  }

  /** A request on it is this owner's, and so is the connection from now on. */
  belongs(socket: Duplex, owner: Owner): void {
    this.#shared.asks(socket, owner)
  }

  /** Whether a whole request is at work on it. */
  isAtWork(socket: Duplex): boolean {
    const requests = this.#requests.get(socket) ?? []
    return requests.some(({ complete }) => complete)
  }

  readonly #accept = (socket: Duplex): void => {
    const requests: IncomingMessage[] = []
    this.#requests.set(socket, requests)
    // Before the parser's own listener: what is cut here is never parsed.
    socket.prependListener("data", (bytes: Buffer) => {
      const max = this.#maxPipelined
      if (requests.length + countRequests(bytes, max) <= max) return
      bytes.fill(0) // the parser gets them all the same, and stops at the first
      socket.destroy()
    })
    this.#shared.enter(socket, strangers)
  }
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

/**
 * Places of which an owner may take one more as long as it holds fewer than are free: one alone gets half of them, three
 * a quarter each, and as much as each of them has is always left for who comes next.
 */
export function openPlaces(max: number) {
  const taken = new Map<Owner, number>()
  let free = max
  return {
    /** Takes a place; what it gives gives it back. `undefined` where this owner may have no more now. */
    take(owner: Owner): (() => void) | undefined {
      const own = taken.get(owner) ?? 0
      if (own >= free) return undefined
      taken.set(owner, own + 1)
      free -= 1
      return () => {
        free += 1
        const left = (taken.get(owner) ?? 0) - 1
        if (left > 0) taken.set(owner, left)
        else taken.delete(owner)
      }
    },
  }
}

const reducing =
  /^(?:\/sign)?\/v1\/trade\/orders\/(?:batch\/)?cancel(?:-all)?$|^\/(?:freeze|heartbeat)$/

/**
 * Whether a call is one that reduces risk, by its path: it has places and turns of its own. An order under such a path
 * gains a turn and nothing else, for the vault judges by the path that it is asked for.
 */
export function reducesRisk(path: string): boolean {
  return reducing.test(path)
}

/** The same link, whose calls for bots leave in turns: an owner with many calls waits for itself, and not others for it. */
export function inTurns(
  link: BotLink,
  ownerOf: OwnerOf,
  { maxTurns, maxReducingTurns }: Pick<GateLimits, "maxTurns" | "maxReducingTurns">,
): BotLink {
  const ordinary = openLine(maxTurns)
  const first = openLine(maxReducingTurns)
  return {
    async call(method, params) {
      // What became of a request is told in the order in which it is known.
      if (!("token" in params) || method === "report") return link.call(method, params)
      const path = method === "sign" && "path" in params ? params.path : `/${method}`
      const line = reducesRisk(path) ? first : ordinary
      const done = await line.turn(ownerOf(params.token), "body" in params ? params.body.length : 0)
      return link.call(method, params).finally(done)
    },
    close: () => link.close(),
  }
}

/** The work of a small order, whose body has less. A batch of a hundred is worth some thirty. */
const lengthOfATurn = 512

type Line = {
  /** Resolves when it is this owner's turn, by the length of the body that it is for; what it gives ends the turn. */
  turn(owner: Owner, length: number): Promise<() => void>
}

type Waiting = { readonly cost: number; readonly go: () => void }

/**
 * Serves as many at a time as are worth `max` turns: of all who wait, first who has had the least of them. What was had is
 * forgotten once nobody waits, and who comes to wait has had as much as any who waits already.
 */
function openLine(max: number): Line {
  const waiting = new Map<Owner, Waiting[]>()
  const had = new Map<Owner, number>()
  let free = max
  const hadBy = (owner: Owner): number => had.get(owner) ?? 0
  const nextOwner = (): Owner | undefined => leastOf(waiting.keys(), hadBy)
  const goOn = (): void => {
    for (let owner = nextOwner(); owner !== undefined; owner = nextOwner()) {
      const [next, ...others] = waiting.get(owner) ?? []
      if (next === undefined || next.cost > free) return
      free -= next.cost
      had.set(owner, hadBy(owner) + next.cost)
      waiting.delete(owner)
      if (others.length > 0) waiting.set(owner, others)
      next.go()
    }
    had.clear()
  }
  return {
    turn(owner, length) {
      const cost = Math.min(max, 1 + Math.floor(length / lengthOfATurn))
      return new Promise((resolve) => {
        const done = (): void => {
          free += cost
          goOn()
        }
        had.set(owner, Math.max(hadBy(owner), hadBy(nextOwner() ?? owner)))
        const own = waiting.get(owner) ?? []
        own.push({ cost, go: () => resolve(done) })
        waiting.set(owner, own)
        goOn()
      })
    },
  }
}

/** The first of those of whom `by` tells the least. */
function leastOf(owners: Iterable<Owner>, by: (owner: Owner) => number): Owner | undefined {
  let least: Owner | undefined
  for (const each of owners) if (least === undefined || by(each) < by(least)) least = each
  return least
}
