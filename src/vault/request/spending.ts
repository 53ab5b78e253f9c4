import type { BotResults } from "../../link/calls/methods.ts"
import type { RateLimit } from "../../contract/signed.ts"
import type { BudgetView } from "../../contract/bot-views.ts"
import type { Address } from "../../venue/address.ts"
import { itemCount, type Lane, type Payload } from "../../venue/payload/payload.ts"
import type { Endpoint } from "../../venue/profile.ts"
import { polledPerMinute } from "../../venue/profile/poll-weights.ts"
import type { Parties } from "../../venue/signing-hash.ts"
import { type ActiveSet, viewOf } from "../active/active-set.ts"
import {
  budgetMax,
  type BudgetScope,
  type BudgetTerms,
  venueWindowMs,
  type Spending,
} from "../budgets/budget.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { type Client, pollName } from "../ledger/records/bindings.ts"
import type { Asking, SignContext } from "./asking.ts"

/** Every POST weighs this against the IP budget. */
const postWeight = 1

/** What a request spends of the venue's budgets, under the shares of a set; `undefined` where both are off. */
export function spendingOf(
  request: {
    readonly endpoint: Endpoint
    readonly payload: Payload
    readonly lane: Lane
    readonly parties: Parties
  },
  client: string,
  set: ActiveSet,
): Spending | undefined {
  const { isOn } = set.config.budgets
  if (!isOn.address && !isOn.ip) return undefined
  const { endpoint, payload, lane, parties } = request
  const address = rateAddress(parties)
  return {
    client,
    address,
    addressWeight: addressWeight(endpoint, itemCount(payload)),
    ipWeight: postWeight,
    lane,
    terms: { address: termsOf("address", address, set), ip: termsOf("ip", undefined, set) },
  }
}

/** Whose budget a request spends: the interface's "Rate-limit address". A Type B request has no target. */
export function rateAddress({ signer, target }: Parties): Address {
  return target ?? signer
}

/**
 * What of a budget, an address's or the IP's that has none, is kept for whom; `undefined` where it is off. Of an address's budget nothing is kept for
 * a client that has no key for it, and of none for one that isn't there: nobody else could use that. Of the IP's the price poll
 * has what it weighs in a minute, of what shares leave: without prices no order is sized.
 */
export function termsOf(
  scope: BudgetScope,
  address: Address | undefined,
  set: ActiveSet,
): BudgetTerms | undefined {
  const { isOn, ipPart, shares, cancelReserve } = set.config.budgets
  if (!isOn[scope]) return undefined
  const sharing =
    shares.size === 0 ? [] : set.clients.filter((client) => mayUse(client, address, set))
  const max = scope === "ip" ? part(ipPart, budgetMax.ip) : budgetMax.address
  const keptFor = new Map(sharing.map(({ name }) => [name, part(shares.get(name) ?? 0, max)]))
  // The venue itself has a reserve for cancels of an address.
  const keptForCancels = scope === "ip" ? part(cancelReserve, max) : 0
  // A round of each at least.
  const polled = scope === "ip" ? polledPerMinute(set.profile, venueWindowMs) : 0
  if (polled > 0) {
    const left = max - keptForCancels - keptFor.values().reduce((sum, share) => sum + share, 0)
    keptFor.set(pollName, Math.min(polled, left))
  }
  return { max, keptFor, keptForCancels }
}

function mayUse(client: Client, address: Address | undefined, set: ActiveSet): boolean {
  if (client.token_hash === null || !set.config.budgets.shares.has(client.name)) return false
  return address === undefined || addressesOf(client, set).includes(address)
}

/** The addresses that a client's keys spend the budgets of. */
export function addressesOf({ keys }: Client, set: ActiveSet): readonly Address[] {
  const own = keys.flatMap((name) => set.keys.get(name) ?? [])
  return [...new Set(own.flatMap(({ address, targets }) => [address, ...targets]))]
}

/** Whole, as weights are. */
function part(percent: number, max: number): number {
  return Math.floor((percent * max) / 100)
}

/** `GET /limits`: the venue's rate budgets that this client's requests count in, but for those that are off. */
export function budgetsOfClient(
  client: Client,
  { active, ledger }: Pick<SignContext, "active" | "ledger">,
): readonly BudgetView[] {
  const set = viewOf(client.keys[0], active())
  const view = (scope: BudgetScope, address: Address | undefined): readonly BudgetView[] => {
    const terms = termsOf(scope, address, set)
    if (terms === undefined) return []
    const { max, used, own, left } = ledger.budgets.stand(client.name, terms, address)
    return [{ scope, address: address ?? null, max, used, own, left }]
  }
  const ofAddresses = addressesOf(client, set).flatMap((address) => view("address", address))
  return [...view("ip", undefined), ...ofAddresses]
}

type Asked = Asking & { readonly spending?: Spending | undefined }

/** An answer with what it leaves the client of the venue's rate budgets, unless it is one of a batch. */
export function withRateLimits(
  answer: BotResults["sign"],
  asked: Asked,
  budgets: Budgets,
): BotResults["sign"] {
  const rateLimits = asked.isAlone ? rateLimitsOf(asked, budgets) : []
  return rateLimits.length === 0 ? answer : { ...answer, rateLimits }
}

/**
 * The budgets that a request spends, but for those that are off. Of one that can't be read it isn't known which
 * address it is for.
 */
function rateLimitsOf({ client, set, spending }: Asked, budgets: Budgets): readonly RateLimit[] {
  const terms = spending?.terms ?? { ip: termsOf("ip", undefined, set), address: undefined }
  const limit = (scope: BudgetScope): readonly RateLimit[] => {
    const ofScope = terms[scope]
    if (ofScope === undefined) return []
    const address = scope === "ip" ? undefined : spending?.address
    const { max, left, freesInMs } = budgets.stand(client.name, ofScope, address)
    return [{ scope, max, left, freesInMs: freesInMs ?? null }]
  }
  return [...limit("address"), ...limit("ip")]
}

/** The weight of a request against the address budget; `batchLength` is 1 for anything but a batch. */
export function addressWeight({ weight }: Endpoint, batchLength: number): number {
  return weight.base + weight.perTenItems * Math.floor(batchLength / 10)
}
