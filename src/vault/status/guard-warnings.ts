import type { Warning } from "../../contract/views.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { FileSet } from "../config/load-files.ts"
import type { PlacedGuard } from "../policy/guard-terms.ts"
import { tradesOf } from "./guard-use.ts"

const byPolicy = "change the policy's applies_to, then: countersign policy reload"
const byAccount = `add to account in venue.yaml, then stop the daemon and start it; or ${byPolicy}`

/** Guards that can judge nothing, whoever they are for. */
export function unreadWarning({ policies, profile }: FileSet): readonly Warning[] {
  const guards = policies.flatMap((policy) => policy.guards)
  if (guards.length === 0 || profile.accountPoll !== undefined) return []
  const message = `venue.yaml has no account, so what opens a position is refused to whom these guards are for: ${namesOf(guards)}.`
  return [{ message, fix: byAccount }]
}

/** Accounts that guards don't know, and such as are traded past them. */
export function guardWarnings(set: ActiveSet): readonly Warning[] {
  const { accountPoll } = set.profile
  if (accountPoll === undefined) return unreadWarning(set)
  const named = new Map(
    accountPoll.accounts.map(({ name, address }): [string, string] => [address, name]),
  )
  const tradesOfAccount = Map.groupBy(tradesOf(set), ({ account }) => account)
  return [...tradesOfAccount].flatMap(([account, trades]) => {
    const name = named.get(account)
    const all = [...new Set(trades.flatMap(({ guards }) => guards))]
    return trades.flatMap(({ client, key, guards }) => {
      const past = all.filter((guard) => !guards.includes(guard))
      const what = `The client ${client} can trade ${name ?? account} with ${key}`
      if (name === undefined && guards.length > 0) {
        const message = `${what}, which account in venue.yaml doesn't list: it is under a guard, so what opens a position there is refused.`
        return { message, fix: byAccount }
      }
      if (name === undefined || past.length === 0) return []
      const message = `${what} past ${namesOf(past)}: its orders count there, and aren't refused.`
      return { message, fix: byPolicy }
    })
  })
}

function namesOf(guards: readonly PlacedGuard[]): string {
  return guards.map(({ policy, name }) => `${policy}/${name}`).join(", ")
}
