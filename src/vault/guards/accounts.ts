import type { Address } from "../../venue/address.ts"
import type { Decimal } from "../../venue/decimal.ts"
import type { AccountPoll } from "../../venue/profile.ts"
import type { PositionMode } from "./exposure.ts"
import { type Exposure, openExposure } from "./open-exposure.ts"

/** An account that venue.yaml names, and what is known of it. */
export type GuardedAccount = {
  readonly name: string
  readonly address: Address
  readonly mode: PositionMode
  readonly exposure: Exposure
  /** What was so when its equity was followed last. */
  readonly last: {
    /** What losses are judged by; `undefined` before. */
    equity: Decimal | undefined
    readAtMs: number
    /** The last that wasn't in doubt. */
    believed: Decimal | undefined
    /** On which side of that no trading explained it, so that the one after decides. */
    doubt: "above" | "below" | undefined
    prices: ReadonlyMap<number, Decimal>
    /** The guards that it had lost too much for. */
    over: ReadonlySet<string>
    /** It couldn't be recorded. */
    failed: boolean
  }
  /** Since when it is to be read, by the ledger's time. */
  readonly sinceMs: number
  /** When its last reading was begun, by the ledger's time, and by which ticket what that finds is told. */
  readonly poll: {
    beganMs: number
    ticket: string | undefined
    /** The client whose ticket it is; `undefined` where it is the gate's. */
    by: string | undefined
    /** Something was refused for want of room since: it may be back. */
    isWanted: boolean
    /** For room in the IP budget. */
    waits: boolean
  }
}

/** By address. */
export type GuardedAccounts = ReadonlyMap<string, GuardedAccount>

/** The accounts of venue.yaml, none of them read yet. */
export function openAccounts(poll: AccountPoll | undefined, sinceMs: number): GuardedAccounts {
  if (poll === undefined) return new Map()
  const { accounts, lagMs } = poll
  return new Map(
    accounts.map(({ name, address, positionMode: mode }) => {
      const exposure = openExposure({ lagMs })
      const unread = { ticket: undefined, by: undefined, isWanted: true, waits: false }
      const never = { beganMs: -Infinity, ...unread }
      const last = {
        ...{ equity: undefined, readAtMs: 0, believed: undefined, doubt: undefined, failed: false },
        ...{ prices: new Map<number, Decimal>(), over: new Set<string>() },
      }
      return [address, { name, address, mode, exposure, last, sinceMs, poll: never }]
    }),
  )
}
