import type { Warning } from "../../contract/views.ts"
import type { AccountPoll } from "../../venue/profile.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { FileSet } from "../config/load-files.ts"
import type { PlacedGuard } from "../policy/guard-terms.ts"
import { fullName } from "../request/guard-losses.ts"
import { tradesOf } from "./guard-use.ts"

const byPolicy = "change the policy's applies_to, then: countersign policy reload"
const byAccount = `add to account in venue.yaml, then stop the daemon and start it; or ${byPolicy}`
const byEquity =
  "add equity to account in venue.yaml, then stop the daemon and start it; or take these guards' losses out of the policy, then: countersign policy reload"

/** Guards that can judge nothing, whoever they are for. */
export function unreadWarning(set: FileSet): readonly Warning[] {
  const guards = set.policies.flatMap((policy) => policy.guards)
  const { accountPoll } = set.profile
  if (accountPoll === undefined) {
    return unread(guards, { what: "venue.yaml has no account", fix: byAccount })
  }
  const bounding = accountPoll.hasEquity ? [] : guards.filter(({ loss }) => loss !== undefined)
  return unread(bounding, { what: "account in venue.yaml has no equity", fix: byEquity })
}

function unread(
  guards: readonly PlacedGuard[],
  { what, fix }: { readonly what: string; readonly fix: string },
): readonly Warning[] {
  if (guards.length === 0) return []
  const follows = "what opens a position is refused to whom these guards are for"
  return [{ message: `${what}, so ${follows}: ${namesOf(guards)}.`, fix }]
}

/** Guards that can judge nothing, accounts that guards don't know, and such as are traded past them. */
export function guardWarnings(set: ActiveSet): readonly Warning[] {
  const { accountPoll } = set.profile
  return [...unreadWarning(set), ...(accountPoll ? tradeWarnings(set, accountPoll) : [])]
}

function tradeWarnings(set: ActiveSet, { accounts }: AccountPoll): readonly Warning[] {
  const named = new Map(accounts.map(({ name, address }): [string, string] => [address, name]))
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
  return guards.map(fullName).join(", ")
}
