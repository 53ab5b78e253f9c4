import type { AccountPoll } from "../profile.ts"
import { type PlacedRead, weightOf } from "./poll-weights.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** Which accounts venue.yaml has the gate read, and how; `undefined` for none. */
export function accountPollOf(file: ProfileFile): AccountPoll | undefined {
  if (file.account === undefined) return undefined
  const { accounts, lag, poll, ...map } = file.account
  return {
    accounts: Object.entries(accounts).map(([name, { address, position_mode }]) => {
      return { name, address, positionMode: position_mode }
    }),
    lagMs: lag,
    busyMs: poll.busy,
    idleMs: poll.idle,
    weight: weightOf(accountReads(file), file.reads),
    map,
  }
}

/** All that one reading asks for, as it is for one of the accounts: addresses are alike to the groups. */
export function accountReads({ account }: ProfileFile): readonly PlacedRead[] {
  if (account === undefined) return []
  const [address = ""] = Object.values(account.accounts).map((each) => each.address)
  const { orders, positions } = account
  return [
    ...orders.map(({ path }, index) => ({ path, at: ["account", "orders", index, "path"] })),
    { path: positions.path, at: ["account", "positions", "path"] },
  ].map(({ path, at }) => ({ path: path.replaceAll("$account", address), at }))
}
