// Explorer reads: accepted writes. Path and records are invented.

import { ok } from "../../std/result.ts"
import { isWithin, pageOf, readPaging, readPeriod } from "../state/page.ts"
import type { Read } from "../state/turn.ts"

/** `GET /v1/explorer/transactions?limit=&cursor=&start_time=&end_time=&tx_hash=` */
export const readTransactions: Read = (query, { venue }) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const period = readPeriod(query)
  if (!period.ok) return period
  const hash = query.get("tx_hash")?.toLowerCase()
  const meant = venue.records.transactions.filter(
    ({ tx_hash, record_time }) =>
      [undefined, tx_hash].includes(hash) && isWithin(period.value, record_time),
  )
  const page = pageOf(meant, paging.value, ({ number }) => number)
  return ok({ data: page, note: `${page.list.length} transactions` })
}
