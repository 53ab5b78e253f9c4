import type { AccountPoll, PricePoll } from "../profile.ts"
import type { PlacedProblem } from "./check-endpoints.ts"
import { groupOf, maxWeightPerMinute, ungroupedMessage, weightOf } from "./poll-weights.ts"
import type { ProfileFile } from "./profile-schema.ts"

type AccountSection = NonNullable<ProfileFile["account"]>

/** Which accounts venue.yaml has the gate read, and how; `undefined` for none. */
export function accountPollOf({ account, reads }: ProfileFile): AccountPoll | undefined {
  if (account === undefined) return undefined
  const accounts = Object.entries(account.accounts).map(([name, { address, position_mode }]) => ({
    name,
    address,
    positionMode: position_mode,
  }))
  const paths = readsOf(account).map(({ path }) => filledIn(path, account))
  return {
    accounts,
    lagMs: account.lag,
    busyMs: account.poll.busy,
    idleMs: account.poll.idle,
    weight: weightOf(paths, reads),
    orders: account.orders.map(({ reduce_only, position_side, ...each }) => ({
      ...each,
      price: each.price,
      reduceOnly: reduce_only,
      positionSide: position_side,
    })),
    positions: positionsOf(account),
  }
}

function positionsOf({ positions }: AccountSection): AccountPoll["positions"] {
  const { position_side: positionSide, sign, ...each } = positions
  return { ...each, sign: sign === "signed" ? undefined : sign, positionSide }
}

/** All that one reading asks for, each with its place in the file. */
function readsOf({ orders, positions }: AccountSection) {
  return [
    ...orders.map((each, index) => ({ ...each, at: ["account", "orders", index] })),
    { ...positions, at: ["account", "positions"] },
  ]
}

/** A path as it is read for one of the accounts; addresses are alike to the groups. */
function filledIn(path: string, { accounts }: AccountSection): string {
  const [first] = Object.values(accounts)
  return path.replaceAll("$account", first?.address ?? "")
}

/** Checks that what is read of accounts fits together, has a known weight, and leaves room for orders. */
export function checkAccountPoll(
  file: ProfileFile,
  pricePoll: PricePoll | undefined,
): readonly PlacedProblem[] {
  const { account } = file
  if (account === undefined) return []
  const ungrouped = checkGroups(account, file)
  return [
    ...checkAddresses(account),
    ...checkSides(account),
    ...checkLists(account),
    ...checkPaces(account),
    ...ungrouped,
    ...(ungrouped.length === 0 ? checkWeight(file, pricePoll) : []),
  ]
}

function checkAddresses({ accounts }: AccountSection): readonly PlacedProblem[] {
  const all = Object.entries(accounts)
  return all.flatMap(([name, { address }], index) => {
    const other = all.slice(0, index).find(([, earlier]) => earlier.address === address)
    if (other === undefined) return []
    const message = `this is the address of ${other[0]} too; an account has one name`
    return [{ path: ["account", "accounts", name, "address"], message }]
  })
}

/** In hedge mode an entry without its side could be of either position. */
function checkSides(account: AccountSection): readonly PlacedProblem[] {
  const all = Object.entries(account.accounts)
  const hedged = all.find(([, { position_mode: mode }]) => mode === "hedge")
  if (hedged === undefined) return []
  const message = `${hedged[0]} is in hedge mode, where every order and position has a side; add position_side`
  return readsOf(account).flatMap(({ position_side: side, at: path }) =>
    side === undefined ? [{ path, message }] : [],
  )
}

/** A list that is read twice counts twice. */
function checkLists({ orders }: AccountSection): readonly PlacedProblem[] {
  const names = orders.map(({ path, list }) => JSON.stringify([path, list]))
  return names.flatMap((name, index) => {
    const path = ["account", "orders", index]
    const message = "an earlier entry reads this list; an order in both would count twice"
    return names.indexOf(name) < index ? [{ path, message }] : []
  })
}

function checkPaces({ poll }: AccountSection): readonly PlacedProblem[] {
  const path = ["account", "poll", "idle"]
  const message = "idle is shorter than busy; reading less often is for when nothing happens"
  return poll.idle < poll.busy ? [{ path, message }] : []
}

function checkGroups(account: AccountSection, { reads }: ProfileFile): readonly PlacedProblem[] {
  return readsOf(account).flatMap(({ path, at }) =>
    groupOf(filledIn(path, account), reads) === undefined
      ? [{ path: [...at, "path"], message: ungroupedMessage(path) }]
      : [],
  )
}

function checkWeight(
  file: ProfileFile,
  pricePoll: PricePoll | undefined,
): readonly PlacedProblem[] {
  const poll = accountPollOf(file)
  if (poll === undefined) return []
  const ofAccounts = (poll.weight * poll.accounts.length) / poll.busyMs
  const ofPrices = pricePoll === undefined ? 0 : pricePoll.weight / pricePoll.everyMs
  const perMinute = Math.ceil((ofAccounts + ofPrices) * 60_000)
  const what = pricePoll === undefined ? "this weighs" : "this and price_poll weigh"
  const message = `${what} ${perMinute} a minute, and at most ${maxWeightPerMinute} leave room for orders; poll less often`
  return perMinute > maxWeightPerMinute ? [{ path: ["account", "poll", "busy"], message }] : []
}
