import type { Measures } from "../contract/facts.ts"
import { gauges, type MetricFamily } from "./metric-family.ts"

/** Of accounts that are traded under a guard. */
export function accountFamilies({
  accounts,
  trips,
}: Pick<Measures, "accounts" | "trips">): readonly MetricFamily[] {
  return [
    gauges(
      {
        name: "countersign_account_read_age_seconds",
        help: "For how long an account under a guard wasn't read.",
        labels: ["account"],
      },
      accounts.map(({ account, unread_ms }) => [[account], unread_ms / 1_000]),
    ),
    gauges(
      {
        name: "countersign_guard_tripped",
        help: "1 for a guard on losses after which nothing opens a position of the account.",
        labels: ["guard", "account"],
      },
      trips.map(({ guard, account }) => [[guard, account], 1]),
    ),
  ]
}
