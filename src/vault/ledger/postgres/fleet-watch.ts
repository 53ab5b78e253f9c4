import type { FleetMeasures } from "../../../contract/facts.ts"
import { openHistogram, waitBoundsSeconds } from "../../../std/histogram.ts"

/** What one of several hosts keeps of its turns, and of the others, for those who look. */
export class FleetWatch {
  /** When the session of each spoke to PostgreSQL last, or this host began to listen. */
  readonly #heardMs: Map<string, number>
  readonly #waits = openHistogram(waitBoundsSeconds)
  readonly #holds = openHistogram(waitBoundsSeconds)
  #takenMs: number | undefined

  constructor(names: readonly string[]) {
    this.#heardMs = new Map(names.map((name) => [name, performance.now()]))
  }

  /** The turn that was asked for at `askedMs` is here. */
  taken(askedMs: number): void {
    this.#takenMs = performance.now()
    this.#waits.observe((this.#takenMs - askedMs) / 1_000)
  }

  given(): void {
    if (this.#takenMs === undefined) return
    this.#holds.observe((performance.now() - this.#takenMs) / 1_000)
    this.#takenMs = undefined
  }

  /** How long ago each session spoke, in milliseconds, by its host; `undefined` where that can't be asked. */
  heard(agesMs: ReadonlyMap<string, number> | undefined): void {
    if (agesMs === undefined) this.#heardMs.clear()
    for (const [name, ageMs] of agesMs ?? [])
      if (this.#heardMs.has(name)) this.#heardMs.set(name, performance.now() - ageMs)
  }

  /** How long ago each host was heard of, in milliseconds; not of one of which nobody can tell. */
  silence(): ReadonlyMap<string, number> {
    const nowMs = performance.now()
    return new Map([...this.#heardMs].map(([name, heardMs]) => [name, nowMs - heardMs]))
  }

  /** With the last entry that is here. */
  read(head: number): FleetMeasures {
    const heard = [...this.silence()].map(
      ([host, ms]) => [host, (Date.now() - ms) / 1_000] as const,
    )
    return { turn_waits: this.#waits.read(), turn_holds: this.#holds.read(), head, heard }
  }
}
