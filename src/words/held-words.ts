// A held request in words, for a person who decides: the command line, the console and messages of the gate say the same.
// They are made of values that were parsed and of the operator's names. A bot's own texts aren't in them.

import type { HoldView, SymbolsView } from "../contract/bot-views.ts"
import { parseAddress } from "../venue/address.ts"
import {
  findAt,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parsePointer,
} from "../venue/json.ts"
import { standsFor } from "../venue/paper-key.ts"
import type { OperationId } from "../venue/profile.ts"
import { type AskedWords, decimalWords, onPaper, orderWords } from "./order-words.ts"

/** `buy 0.45 BTC-PERP at 63,000 limit, worst 28,350 USD, held by mm/large`; of what trades on paper it begins with `PAPER:`. */
export function heldWords(hold: HoldView, symbols: SymbolsView): string {
  const { words, unsaid } = askedWords(hold, symbols)
  const isPaper = standsFor(hold.key) !== undefined
  return [
    onPaper(words, isPaper),
    ...(unsaid === 0 ? [] : [`${unsaid} ${unsaid === 1 ? "field" : "fields"} not shown`]),
    ...(hold.target === null ? [] : [`for the account ${hold.target}`]),
    ...totalWords(hold),
    `held by ${hold.policy}/${hold.rule}`,
  ].join(", ")
}

/** The same, and when it ends: `…; expires in 14 min` */
export function heldLine(hold: HoldView, symbols: SymbolsView, nowMs: number): string {
  return `${heldWords(hold, symbols)}; ${expiryWords(hold.expires_at - nowMs)}`
}

/** `expires in 14 min` */
export function expiryWords(leftMs: number): string {
  const seconds = Math.floor(leftMs / 1_000)
  if (seconds <= 0) return "expired"
  if (seconds >= 2 * 3_600) return `expires in ${Math.floor(seconds / 3_600)} h`
  return seconds >= 120 ? `expires in ${Math.floor(seconds / 60)} min` : `expires in ${seconds} s`
}

const ofOrders: readonly OperationId[] = [
  ...(["placeOrder", "modifyOrder", "cancelOrder", "chaseOrder"] as const),
  ...(["placeBatch", "modifyBatch", "cancelBatch"] as const),
]

/** Whether an operation is about more than the orders that it names; what isn't known is. */
export function isAccountWide(operation: string): boolean {
  return !ofOrders.some((each) => each === operation)
}

/** Of what makes no order there is none. */
function totalWords(hold: HoldView): readonly string[] {
  const { total } = worstWords(hold)
  if (total !== undefined) return [total]
  const makesOrders = !isAccountWide(hold.operation) && !hold.operation.startsWith("cancel")
  return makesOrders ? [`worst case: ${hold.worst_case}`] : []
}

/** Of operations whose words aren't those of their orders alone. */
const deeds: Readonly<Record<string, string>> = {
  placeOrder: "place an order",
  modifyOrder: "change an order",
  cancelOrder: "cancel an order",
  chaseOrder: "chase an order",
  placeBatch: "place orders",
  modifyBatch: "change orders",
  cancelBatch: "cancel orders",
  cancelAll: "cancel all orders",
  setPositionMode: "set the position mode",
  setLeverage: "set the leverage",
  adjustIsolatedMargin: "adjust the isolated margin",
  approveAgent: "approve an agent",
  revokeAgent: "revoke an agent",
  renewAgent: "renew an agent",
  createSub: "create a sub-account",
  transfer: "transfer",
  withdraw: "withdraw",
} satisfies Record<OperationId, string>

/** What a held request asks for. */
function askedWords(hold: HoldView, symbols: SymbolsView): AskedWords {
  const deed = deeds[hold.operation] ?? hold.operation
  if (hold.body === "") return { words: tooLong(hold, deed), unsaid: 0 }
  const body = JSON.parse(hold.body) as JsonObject // our own canonical JSON
  return shapeWords(body, hold, symbols) ?? opaqueWords(body, deed, symbols)
}

/** `undefined` where nothing of the body can be said. */
function shapeWords(
  body: JsonObject,
  hold: HoldView,
  symbols: SymbolsView,
): AskedWords | undefined {
  const { shape, operation } = hold
  const deed = deeds[operation] ?? operation
  switch (shape.kind) {
    case "order":
      return orderWords(body, symbols)
    case "order_with_id":
      return changeWords(body, shape.orderId, symbols)
    case "order_list":
      return batchWords(body, shape, { hold, deed, symbols })
    case "item_list":
      return countWords(body, shape.items, deed)
    case "approve_agent":
      return approvalWords(body)
    case "struct":
      return structWords(body, deed, symbols)
    case "opaque":
      return undefined
  }
}

/** Of a body that nobody has read nothing is said but a symbol, by the operator's name. */
function opaqueWords(body: JsonObject, deed: string, { names }: SymbolsView): AskedWords {
  const { symbol_id: id } = body
  const symbol = typeof id === "number" ? names[id] : undefined
  const unsaid = Object.keys(body).length - (symbol === undefined ? 0 : 1)
  return { words: symbol === undefined ? deed : `${deed} of ${symbol}`, unsaid }
}

/** An id of digits is said; of others only that there is one. */
function changeWords(
  order: JsonValue | undefined,
  idPointer: string,
  symbols: SymbolsView,
): AskedWords | undefined {
  const said = orderWords(order, symbols, rootOf(idPointer))
  if (said === undefined || !isJsonObject(order)) return undefined
  const id = findAt(order, idPointer).value
  const isDigits = typeof id === "number" || (typeof id === "string" && /^\d{1,30}$/.test(id))
  const which = isDigits ? `order ${id}` : "an order"
  return { ...said, words: `change ${which} to ${said.words}` }
}

/** So much is said of orders one by one, in characters, and of one at least; what they all cost is said besides. */
const maxSaidLength = 1_000

type Shape<Kind extends HoldView["shape"]["kind"]> = Extract<HoldView["shape"], { kind: Kind }>

type Batch = {
  readonly hold: HoldView
  readonly deed: string
  readonly symbols: SymbolsView
}

function batchWords(
  body: JsonObject,
  { items: pointer, orderId }: Shape<"order_list">,
  { hold, deed, symbols }: Batch,
): AskedWords | undefined {
  const items = itemsAt(body, pointer)
  const orders = items?.map((item) =>
    orderId === undefined ? orderWords(item, symbols) : changeWords(item, orderId, symbols),
  )
  if (orders === undefined) return undefined
  const said = firstThatFit(orders.map((each) => each?.words ?? "one that has no words"))
  const left = orders.length - said.length
  const rest = left === 0 ? [] : [`and ${left} more`, `in all ${groupsOf(hold, orders)}`]
  const unsaid = orders.reduce((sum, each) => sum + (each?.unsaid ?? 0), 0)
  return {
    words: `${counted(deed, orders.length)}: ${[...said, ...rest].join("; ")}`,
    unsaid: unsaid + besides(body, pointer),
  }
}

/** All orders by symbol and side, so that none is left unnamed: `60 buy DOGE-USD, worst 220 USD; 1 sell ETH-BTC, worst 64 BTC`. */
function groupsOf(hold: HoldView, orders: readonly (AskedWords | undefined)[]): string {
  const { groups } = worstWords(hold)
  if (groups.length > 0) return groups.join("; ")
  const counts = Map.groupBy(orders, (each) => each?.side ?? "that have no words")
  return [...counts].map(([side, { length }]) => `${length} ${side}`).join("; ")
}

function tooLong(hold: HoldView, deed: string): string {
  const { groups } = worstWords(hold)
  return [`${deed}, too long to be said here`, ...groups].join("; ")
}

function firstThatFit(all: readonly string[]): readonly string[] {
  let left = maxSaidLength
  const end = all.findIndex((each) => (left -= each.length + "; ".length) < 0)
  return end === -1 ? all : all.slice(0, Math.max(end, 1))
}

function countWords(body: JsonObject, pointer: string, deed: string): AskedWords | undefined {
  const items = itemsAt(body, pointer)
  if (items === undefined) return undefined
  return { words: counted(deed, items.length), unsaid: besides(body, pointer) }
}

/** `place 3 orders` */
function counted(deed: string, count: number): string {
  return deed.replace(/orders$/, count === 1 ? "1 order" : `${count} orders`)
}

function itemsAt(body: JsonObject, pointer: string): readonly JsonValue[] | undefined {
  const { value } = findAt(body, pointer)
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined
}

/** How many fields there are beside a list. */
function besides(body: JsonObject, pointer: string): number {
  return Object.keys(body).filter((name) => !rootOf(pointer).includes(name)).length
}

function rootOf(pointer: string): readonly string[] {
  return parsePointer(pointer)?.slice(0, 1) ?? []
}

/** Its label is a bot's text, and the chain is the installation's. */
function approvalWords(body: JsonObject): AskedWords | undefined {
  const { agent_address: agent, authorized_address: authorized, valid_days: days } = body
  const [who, by] = [addressWords(agent), addressWords(authorized)]
  if (who === undefined || by === undefined || typeof days !== "number") return undefined
  const span = days === 1 ? "1 day" : `${days} days`
  return { words: `approve the agent ${who} for ${span}, authorized address ${by}`, unsaid: 0 }
}

/** The names are those of the struct in venue.yaml. */
function structWords(body: JsonObject, deed: string, symbols: SymbolsView): AskedWords {
  const fields = Object.entries(body).filter(([name]) => !ofChain.includes(name))
  const said = fields.flatMap(([name, value]) => {
    const words = plainWords(value, symbols)
    const isName = /^[a-z][a-z0-9_]{0,63}$/.test(name)
    return words === undefined || !isName ? [] : [`${name.replaceAll("_", " ")} ${words}`]
  })
  const words = said.length === 0 ? deed : `${deed}: ${said.join(", ")}`
  return { words, unsaid: fields.length - said.length }
}

/** The vault lets none pass but the installation's. */
const ofChain: readonly string[] = ["service_chain", "signature_chain_id"]

/** A number, an address, yes or no, or a name of venue.yaml; no other text. */
function plainWords(value: JsonValue, { names, quotes }: SymbolsView): string | undefined {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value === "number") return decimalWords(String(value)) ?? String(value)
  const known = [...Object.values(names), ...Object.values(quotes)].find((each) => each === value)
  return known ?? decimalWords(value) ?? addressWords(value)
}

function addressWords(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? parseAddress(value) : undefined
}

const totalPattern = /^(?:one order|\d+ orders), (up to|more than) (.+)$/
const groupPattern = /^(\d+ (?:buy|sell) .+): (up to|more than) (.+)$/

/**
 * What a held request can cost at worst: all of it, and the parts of a batch that has several symbols or sides. Of the
 * vault's own text, in which nothing is a bot's.
 */
function worstWords({ worst_case }: Pick<HoldView, "worst_case">) {
  const [first = "", ...others] = worst_case.split("; ")
  const [, bound, sum = ""] = totalPattern.exec(first) ?? []
  return {
    /** `worst 220 USD and 64 BTC`; `undefined` where that isn't what the vault says. */
    total: bound === undefined ? undefined : boundWords(bound, sum),
    /** `60 buy DOGE-USD, worst 220 USD` */
    groups: others.map((each) => {
      const [, group = each, bound = "", sum = ""] = groupPattern.exec(each) ?? []
      return bound === "" ? group : `${group}, ${boundWords(bound, sum)}`
    }),
  }
}

function boundWords(bound: string, sum: string): string {
  const said = sum.replace(/\b\d[\d.]*(?= )/g, (each) => decimalWords(each) ?? each)
  return `worst ${bound === "up to" ? "" : "more than "}${said}`
}
