import type { StatusView } from "../../src/contract/views.ts"

/** What a daemon answers that signs, has nothing, and was asked nothing yet. */
export const statusView: StatusView = {
  at: 0,
  version: "0.0.0",
  freezes: [],
  state: { signs: "all", words: "signs what policies allow", reasons: [] },
  alarms: [],
  policy_hash: "",
  files_differ: null,
  network: "",
  records: 0,
  keys: [],
  clients: [],
  limits: [],
  holds: [],
  budgets: [],
  decided: { allowed: 0, refused: 0, held: 0 },
  signing: { bounds: [], counts: [0] },
  last_refusals: [],
  pid: 4711,
  started_by: "serve",
  warnings: [],
}
