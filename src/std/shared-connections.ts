import type { Duplex } from "node:stream"

/**
 * Connections of which there may be `max`. Where there are more, the owner with the most loses the one that has asked for
 * nothing for the longest time: whoever opens many makes room for others, and a new one is always let in.
 */
export class SharedConnections<Owner extends object | string> {
  readonly #max: number
  readonly #ownerOf = new Map<Duplex, Owner>()
  /** Of each owner those that asked last at the end. */
  readonly #owned = new Map<Owner, Set<Duplex>>()

  constructor(max: number) {
    this.#max = max
  }

  /** A new one came. */
  enter(socket: Duplex, owner: Owner): void {
    this.#add(socket, owner)
    socket.once("close", () => this.#remove(socket))
    const idlest = this.#ownerOf.size > this.#max ? this.#idlest() : undefined
    if (idlest === undefined) return
    // Now, for others may come before it is closed.
    this.#remove(idlest)
    idlest.destroy()
  }

  /** This owner asks on it, whose it is from now on. */
  asks(socket: Duplex, owner: Owner): void {
    if (this.#remove(socket)) this.#add(socket, owner)
  }

  #add(socket: Duplex, owner: Owner): void {
    this.#ownerOf.set(socket, owner)
    this.#owned.set(owner, (this.#owned.get(owner) ?? new Set()).add(socket))
  }

  #remove(socket: Duplex): boolean {
    const owner = this.#ownerOf.get(socket)
    if (owner === undefined) return false
    const all = this.#owned.get(owner)
    all?.delete(socket)
    if (all?.size === 0) this.#owned.delete(owner)
    return this.#ownerOf.delete(socket)
  }

  #idlest(): Duplex | undefined {
    const most = [...this.#owned.values()].reduce((a, b) => (b.size > a.size ? b : a), new Set())
    return most.values().next().value
  }
}
