import { alarm, type Alarm } from "../link/alarms.ts"
import { budgetStands, limitShares, type Stand } from "./metrics/room-families.ts"
import type { Vault } from "./vault.ts"

/** From this share on a limit is nearly spent. */
const nearlySpent = 0.8

/** Limits that are spent or nearly, and rate budgets of which no more is left than cancels may use. */
export function roomAlarms(vault: Vault): readonly Alarm[] {
  return [
    // One that only observes refuses nothing.
    ...limitShares(vault)
      .filter(({ mode }) => mode === "enforce")
      .flatMap(({ policy, limit, share }) => limitAlarms(`${policy}/${limit}`, share)),
    ...budgetStands(vault).flatMap(budgetAlarms),
  ]
}

/** A limit that is spent is nearly spent too, so that each comes and goes by itself. */
function limitAlarms(subject: string, share: number): readonly Alarm[] {
  const spent = {
    subject,
    fact: `The limit ${subject} is spent, and what counts in it is refused until some of it frees`,
    advice: "countersign limits show tells how it stands, countersign limits raise gives more",
  }
  const nearly = {
    subject,
    fact: `At least 80 % of the limit ${subject} is used, and what goes over it will be refused`,
    advice: "countersign limits show tells how it stands",
  }
  return [
    ...(share >= 1 ? [alarm("limit_spent", spent)] : []),
    ...(share >= nearlySpent ? [alarm("limit_nearly_spent", nearly)] : []),
  ]
}

function budgetAlarms({ scope, address, max, used, keptForCancels }: Stand): readonly Alarm[] {
  if (max - used > keptForCancels) return []
  const which = scope === "ip" ? "this machine" : address
  return [
    alarm("budget_at_reserve", {
      subject: scope === "ip" ? scope : `${scope} ${address}`,
      fact: `The venue's rate budget of ${which} is used up but for cancels, so orders are refused for up to a minute`,
      advice: "give bots shares of it in countersign.yaml, then countersign policy reload",
    }),
  ]
}
