import type { Address } from "../venue/address.ts"
import type { Payload } from "../venue/payload.ts"
import type { Endpoint, Parties } from "../venue/profile.ts"
import { addressWeight } from "../venue/weights.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"
import { budgetMax, type BudgetTerms } from "./ledger/budget.ts"
import type { BudgetScope, Spending } from "./ledger/budgets.ts"
import { cancels, reducesRisk } from "./policy/reduces-risk.ts"

/** Every POST weighs this against the IP budget. */
const postWeight = 1

/** What a request spends of the venue's budgets, under the shares of a set. */
export function spendingOf(
  request: {
    readonly endpoint: Endpoint
    readonly payload: Payload
    readonly parties: Parties
  },
  client: string,
  set: ActiveSet,
): Spending {
  const { endpoint, payload, parties } = request
  const address = rateAddress(parties)
  return {
    client,
    address,
    addressWeight: addressWeight(endpoint, batchLength(payload)),
    ipWeight: postWeight,
    isCancel: cancels.has(endpoint.id),
    reducesRisk: reducesRisk(endpoint.id, payload, set.profile),
    terms: { address: termsOf("address", address, set), ip: termsOf("ip", undefined, set) },
  }
}

/** Whose budget a request spends: the interface's "Rate-limit address". A Type B request has no target. */
export function rateAddress({ signer, target }: Parties): Address {
  return target ?? signer
}

/**
 * What of a budget, an address's or the IP's that has none, is kept for whom; `undefined` where it is off. Of an address's budget nothing is kept for
 * a client that has no key for it, and of none for one that isn't there: nobody else could use that.
 */
export function termsOf(
  scope: BudgetScope,
  address: Address | undefined,
  set: ActiveSet,
): BudgetTerms | undefined {
  const { isOn, shares, cancelReserve } = set.config.budgets
  if (!isOn[scope]) return undefined
  const sharing =
    shares.size === 0 ? [] : set.clients.filter((client) => mayUse(client, address, set))
  const keptFor = sharing.map(({ name }) => [name, weightOf(shares.get(name) ?? 0, scope)] as const)
  // The venue itself has a reserve for cancels of an address.
  const keptForCancels = scope === "ip" ? weightOf(cancelReserve, scope) : 0
  return { keptFor: new Map(keptFor), keptForCancels }
}

function mayUse(client: Client, address: Address | undefined, set: ActiveSet): boolean {
  if (client.tokenHash === null || !set.config.budgets.shares.has(client.name)) return false
  return address === undefined || addressesOf(client, set).includes(address)
}

/** The addresses that a client's keys spend the budgets of. */
export function addressesOf({ keys }: Client, set: ActiveSet): readonly Address[] {
  const own = keys.flatMap((name) => set.keys.get(name) ?? [])
  return [...new Set(own.flatMap(({ address, targets }) => [address, ...targets]))]
}

/** Whole, for a whole percent of either budget is. */
function weightOf(percent: number, scope: BudgetScope): number {
  return (percent * budgetMax[scope]) / 100
}

function batchLength(payload: Payload): number {
  if (payload.kind === "orders") return payload.orders.length
  return payload.kind === "opaque" ? payload.batchLength : 1
}
