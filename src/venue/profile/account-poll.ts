import { sha256Hex } from "../../std/sha256.ts"
import { builtinParts } from "../builtin-profile.ts"
import type { AccountPoll } from "../profile.ts"
import { canonicalJson } from "../signing-hash.ts"
import { type PlacedRead, weightOf } from "./poll-weights.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** Which accounts venue.yaml has the gate read, and how; `undefined` for none. */
export function accountPollOf(file: ProfileFile): AccountPoll | undefined {
  if (file.account === undefined) return undefined
  const { accounts, lag, poll, map } = file.account
  const isFed = Object.keys(map).length === 0
  return {
    accounts: Object.entries(accounts).map(([name, { address, position_mode }]) => {
      return { name, address, positionMode: position_mode }
    }),
    lagMs: lag,
    busyMs: poll.busy,
    idleMs: poll.idle,
    weight: weightOf(accountReads(file), file.reads),
    map,
    isFed,
    hasEquity: isFed || map["equity"] !== undefined,
    mapping: sha256Hex(canonicalJson(map, builtinParts.canonicalForm)),
  }
}

/** All that one reading asks for, as it is for one of the accounts: addresses are alike to the groups. */
export function accountReads({ account }: ProfileFile): readonly PlacedRead[] {
  if (account === undefined) return []
  const { accounts, map } = account
  const [address = ""] = Object.values(accounts).map((each) => each.address)
  return Object.entries(map).flatMap(([name, read]) =>
    [read].flat().map(({ path }, index) => ({
      path: path.replaceAll("$account", address),
      at: ["account", name, ...(Array.isArray(read) ? [index] : []), "path"],
    })),
  )
}
