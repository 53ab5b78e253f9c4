import { symbolIdsIn } from "../../audit/entry-filter.ts"
import { fieldsOf, type Fields } from "../../audit/stored-entry.ts"
import { readSizes } from "../../vault/ledger/records/request-row.ts"
import { rowSchemas } from "../../vault/ledger/records/row.ts"
import { worstOf } from "../../vault/policy/order-size.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"

/** What an export tells of a request's orders. */
export const orderCellNames = ["symbol", "side", "type", "price", "quantity", "worst_case"] as const

/**
 * What a row's orders ask for, as the bot sent it, each after a semicolon, and what each can cost at worst, in quote
 * units. Empty where the row has no body: a refusal's isn't recorded.
 */
export function orderCells(row: Fields, symbols: SymbolTable | undefined): readonly string[] {
  const { body } = row
  if (typeof body !== "string") return orderCellNames.map(() => "")
  const orders = ordersIn(fieldsOf(body))
  const ids = orders.length > 0 ? orders.map((each) => each["symbol_id"]) : symbolIdsIn(body)
  const textsOf = (name: string) => orders.map((each) => text(each[name]))
  return [
    ids.map((id) => symbols?.byId.get(Number(id))?.name ?? text(id)),
    orders.map((each) => (each["is_buy"] === true ? "buy" : "sell")),
    orders.map((each) => text(each["order_type"] ?? each["algo_order_type"])),
    textsOf("price"),
    textsOf("quantity"),
    worstTexts(row["sizes"]),
  ].map((texts) => texts.join("; "))
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

/** A body that is an order, or has a list of some. */
function ordersIn(body: Fields): readonly Fields[] {
  const items = Object.values(body).flatMap((each): readonly unknown[] =>
    Array.isArray(each) ? each : [],
  )
  return [body, ...items].filter(isOrder)
}

function isOrder(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && "is_buy" in value
}

/** Empty for an order that couldn't be sized. */
function worstTexts(sizes: unknown): readonly string[] {
  const read = rowSchemas.shadow.shape.sizes.safeParse(sizes)
  if (!read.success) return []
  return readSizes({ sizes: read.data }).map((size) => {
    const worst = worstOf(size)
    return worst === undefined ? "" : formatDecimal(worst)
  })
}
