// Reads that are there with a market alone. Paths and records are invented.

import { ok } from "../std/result.ts"
import { forAccount } from "./reads.ts"
import { decimalText } from "./state/market.ts"
import type { Read } from "./state/venue.ts"
import { initialMargin } from "./market/margin.ts"
import { quoteAsset } from "./market/market.ts"
import { positionRecord, worthRecord } from "./market/shown.ts"
import { viewAt } from "./market/versions.ts"

/** Where they are, all GET. */
export const marketReadPaths = {
  positions: "/v1/account/positions",
  equity: "/v1/account/equity",
} as const

/** `GET /v1/account/positions?account_address=` */
const readPositions: Read = (query, turn) => {
  const { venue, asOfMs = turn.nowMs } = turn
  const { market } = venue
  if (market === undefined) return ok({ data: { list: [] }, note: "no market" })
  return forAccount(query, venue, (account) => {
    const { positions } = viewAt(market, account, turn.asOfMs)
    const list = positions.map((position) => positionRecord(market, position, asOfMs))
    return { data: { list, record_time: asOfMs }, note: `${list.length} positions` }
  })
}

/** `GET /v1/account/equity?account_address=` */
const readEquity: Read = (query, turn) => {
  const { venue, asOfMs = turn.nowMs } = turn
  const { market } = venue
  if (market === undefined) return ok({ data: {}, note: "no market" })
  return forAccount(query, venue, (account) => {
    const view = viewAt(market, account, turn.asOfMs)
    const worth = worthRecord(market, view, asOfMs)
    const bound = decimalText(initialMargin(market, account, view))
    return {
      data: { ...worth, initial_margin: bound, record_time: asOfMs },
      note: `equity ${worth.equity} ${quoteAsset}`,
    }
  })
}

export const marketReads: ReadonlyMap<string, Read> = new Map([
  [marketReadPaths.positions, readPositions],
  [marketReadPaths.equity, readEquity],
])
