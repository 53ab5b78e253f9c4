// Market reads. Paths and records are invented.

import { ok } from "../../std/result.ts"
import { reject } from "../state/error-codes.ts"
import { marketSymbols } from "../state/market.ts"
import { pageOf, readNumber, readPaging } from "../state/page.ts"
import { stillTicker } from "../state/ticker.ts"
import type { Read } from "../state/turn.ts"

/** `GET /v1/market/symbols?limit=&cursor=` */
export const readSymbols: Read = (query) => {
  const paging = readPaging(query)
  if (!paging.ok) return paging
  const { list, ...rest } = pageOf(marketSymbols, paging.value, ({ id }) => id)
  const symbols = list.map(({ id, name, market, quote }) => ({
    symbol_id: id,
    name,
    market,
    quote,
  }))
  return ok({ data: { list: symbols, ...rest }, note: `${list.length} symbols` })
}

/** `GET /v1/market/ticker?symbol_id=` */
export const readTicker: Read = (query, { nowMs, ticker = stillTicker }) => {
  const symbolId = readNumber(query.get("symbol_id"), undefined)
  const symbol = marketSymbols.find(({ id }) => id === symbolId)
  if (symbol === undefined) {
    return reject("unknown_symbol", "symbol_id must be one that the sandbox trades.")
  }
  const { id, name } = symbol
  const price = ticker(symbol, nowMs)
  return ok({
    data: {
      symbol_id: id,
      last_price: price,
      mark_price: price,
      oracle_price: price,
      record_time: nowMs,
    },
    note: name,
  })
}
