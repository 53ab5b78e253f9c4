import { alarmsOf } from "../../src/conditions/alarms.ts"
import type { Alarm } from "../../src/contract/alarms.ts"
import type { Facts, Measures } from "../../src/contract/facts.ts"
import { factsOf } from "../../src/vault/status/facts.ts"
import type { StatusSources } from "../../src/vault/status/sources.ts"

/** Everything that alarms, by what a vault tells. */
export function alarmsIn(vault: StatusSources): readonly Alarm[] {
  return alarmsOf(factsOf(vault))
}

const shared = {
  disk: { free_bytes: 1, min_free_bytes: 0 },
  venue_ahead_ms: 0,
  limits: [],
  budgets: [],
  accounts: [],
  trips: [],
} as const

/** Of a vault by which all is well. */
export const calmFacts: Facts = {
  ...shared,
  at: 0,
  ...{ reasons: [], prices: [], endings: [], keyless: [], hosts: [], holds: [] },
  files_differ: null,
}

const none = { counts: [], sum: 0 } as const

/** Of a vault that was asked nothing yet. */
export const noMeasures: Measures = {
  ...shared,
  decisions: [],
  stages: { parse: none, judge: none, record: none, sign: none },
  commits: { seconds: none, entries: none, waited: 0 },
  signs: "all",
  ...{ reasons: [], frozen: [], keys: [], tokens: [], keyless: [], prices: [] },
  files_differ: false,
  ...{ holds_pending: 0, ledger_bytes: 0 },
  process: {
    ...{ version: "0", node: "0", resident_bytes: 0 },
    delay: { meanSeconds: 0, p99Seconds: 0, maxSeconds: 0 },
  },
}
