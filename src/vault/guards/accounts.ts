import type { Address } from "../../venue/address.ts"
import type { AccountPoll } from "../../venue/profile.ts"
import { type Exposure, openExposure, type PositionMode } from "./exposure.ts"

/** An account that venue.yaml names, and what is known of it. */
export type GuardedAccount = {
  readonly name: string
  readonly address: Address
  readonly mode: PositionMode
  readonly exposure: Exposure
  /** Since when it is to be read, by the ledger's time. */
  readonly sinceMs: number
  /** When its last reading was begun, by the ledger's time, and by which ticket what that finds is told. */
  readonly poll: {
    beganMs: number | undefined
    ticket: string | undefined
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
      const unread = { beganMs: undefined, ticket: undefined, isWanted: true, waits: false }
      return [address, { name, address, mode, exposure, sinceMs, poll: unread }]
    }),
  )
}
