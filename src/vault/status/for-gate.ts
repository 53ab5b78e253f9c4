import type { AdminParams, AdminResults, BotParams, BotResults } from "../../link/calls/methods.ts"
import { factsOf } from "./facts.ts"
import { symbolsView, waitingHolds } from "./holds.ts"
import type { StatusSources } from "./sources.ts"

/** What is kept in memory for the gate that tells people what is wrong: `log` and `said` are its own, and aren't read here. */
export type ForGate = {
  log: string
  said: string
  /** When a test of all targets was last asked for. */
  test: number
  /** Requests that were sent, and nobody knows what became of, with when that was told. */
  readonly unknown: Map<string, number>
}

/** Nothing is kept, and nobody asked. */
export function nothingForGate(): ForGate {
  return { log: "[]", said: "[]", test: 0, unknown: new Map() }
}

type Kept = StatusSources & { readonly forGate: ForGate }

/** So many fit a line; of so many at once one is like the other. */
export const mostUnknown = 100

/** Nobody knows what became of this request. */
export function noteUnknown(record: string, { forGate: { unknown }, now }: Kept): void {
  if (unknown.size < mostUnknown) unknown.set(record, now())
}

/** Takes what the gate wants kept, and tells it how it stands now. */
export function factsForGate(
  asked: BotParams["alarmFacts"],
  vault: Kept,
): BotResults["alarmFacts"] {
  const { forGate, active } = vault
  const { notify: targets } = active().config
  for (const record of asked.noted) forGate.unknown.delete(record)
  forGate.said = asked.said
  forGate.log = asked.log ?? forGate.log
  if (targets.length === 0) {
    forGate.log = "[]"
    forGate.unknown.clear()
  }
  return {
    targets,
    facts: targets.length === 0 ? null : factsOf(vault),
    unknown: [...forGate.unknown].map(([record, at]) => ({ record, at })),
    log: asked.log === undefined ? forGate.log : null,
    test: forGate.test,
  }
}

/** So much of symbols' names fits a frame beside what waits; with more, no target is told of it in words. */
const maxSymbolsBytes = 96 * 1_024

/** What waits for a person, with its bodies: only where a target has details. */
export function heldForGate(vault: StatusSources): BotResults["heldInFull"] {
  const set = vault.active()
  if (set.config.notify.every(({ details }) => details !== "true")) return { held: null }
  const symbols = symbolsView(set)
  const fits = Buffer.byteLength(JSON.stringify(symbols)) <= maxSymbolsBytes
  return { held: fits ? { holds: waitingHolds(vault), symbols } : null }
}

/** What was decided since the start, only where there is a target. */
export function decidedForGate({ active, metrics }: StatusSources): BotResults["decided"] {
  return { decisions: active().config.notify.length === 0 ? [] : metrics.decisions.series() }
}

/** How messages get through, by the gate's word; `test` has it send each target a message first. */
export function notifyStand(
  { test }: AdminParams["notify"],
  { forGate, now }: Kept,
): AdminResults["notify"] {
  if (test) forGate.test = now()
  return { test: forGate.test, said: forGate.said }
}
