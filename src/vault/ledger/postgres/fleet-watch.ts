import { familyOf, type MetricFamily } from "../../../link/metrics.ts"
import { openHistogram, waitBoundsSeconds } from "../../../std/histogram.ts"
import { gauge, gauges } from "../../metrics/vault-metrics.ts"

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
  families(head: number): readonly MetricFamily[] {
    const named = (name: string, help: string) => ({ name: `countersign_ledger_${name}`, help })
    const heard = named("host_heard_timestamp_seconds", "When another host spoke last.")
    return [
      familyOf(
        this.#waits,
        named("turn_wait_seconds", "Time from asking for a turn to its start."),
      ),
      familyOf(this.#holds, named("turn_hold_seconds", "Time from then until it is given on.")),
      gauge("countersign_ledger_head_entry", "The last entry that this host has.", head),
      gauges(
        { ...heard, labels: ["host"] },
        [...this.silence()].map(([name, ms]) => [[name], (Date.now() - ms) / 1_000]),
      ),
    ]
  }
}
