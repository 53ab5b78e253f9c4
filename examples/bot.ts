// A small trading loop through Countersign: asks what is allowed, places, looks, cancels.
//
// COUNTERSIGN_TOKEN_FILE names the file with the token; COUNTERSIGN_URL is where the daemon listens.

import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"

import {
  createClient,
  type Answer,
  type Failure,
  type Schemas,
  type VenueWords,
} from "countersign/client"

type Order = Schemas["PlaceOrder"]

const prices = ["63000", "62900"]
const sizes = ["0.6", "0.3", "0.1"]
const longestWaitMs = 30_000

const client = createClient({
  url: process.env["COUNTERSIGN_URL"] ?? "http://127.0.0.1:8420",
  token: readFileSync(process.env["COUNTERSIGN_TOKEN_FILE"] ?? "token", "utf8").trim(),
})

for (const price of prices) {
  const order = await allowedOrder(price)
  const orderId = order && (await place(order))
  if (orderId !== undefined) await cancel(orderId)
}

/** The largest order at a price that policy lets us place. */
async function allowedOrder(price: string): Promise<Order | undefined> {
  for (const quantity of sizes) {
    const order: Order = {
      ...{ symbol_id: 1, is_buy: true, order_type: "limit", price, quantity },
      client_order_id: randomUUID(),
    }
    const { refusal } = wanted(await client.check("/v1/trade/orders", order))
    if (refusal?.code !== "policy_denied") return order // what else it may be, placing it will tell
    const { reason } = refusal.data
    console.log(`check ${quantity}: policy_denied, ${reason}`)
    if (reason !== "quantity_over_max" && reason !== "notional_over_max") return undefined
  }
  return undefined
}

/** Places an order, once. Returns the id of what is open then. */
async function place(order: Order): Promise<string | undefined> {
  const key = order.client_order_id ?? ""
  const what = `place ${order.quantity}`
  const by = { idempotencyKey: key, waitMs: longestWaitMs, onRepeat: repeatOf(what) }
  const answer = told(what, await client.sendUntilClear("/v1/trade/orders", order, by))
  const [record] = wanted(await client.recordsOf({ idempotency_key: key })).records
  console.log(`record: ${record?.state ?? "none"}`)
  if (answer.ok) return String(answer.data["order_id"])
  return answer.mayHaveArrived ? findOpen(key, record?.expires_after ?? 0) : undefined
}

/** Looks at the venue until the order is open there, or can't be accepted any more. */
async function findOpen(clientOrderId: string, expiresAfter: number): Promise<string> {
  for (let isLast = false; !isLast;) {
    isLast = Date.now() > expiresAfter
    // One page; a bot with more open orders turns pages.
    const { list } = wanted(await client.read("/v1/trade/open-orders", { limit: "100" }))
    const orders = list as readonly { order_id: string; client_order_id: string }[]
    const order = orders.find(({ client_order_id: id }) => id === clientOrderId)
    if (order !== undefined) {
      console.log("open at the venue")
      return order.order_id
    }
    await wait(500)
  }
  throw new Error(`${clientOrderId} isn't open: it never arrived, or it is filled; look there.`)
}

async function cancel(orderId: string): Promise<void> {
  const idempotencyKey = `cancel-${randomUUID()}`
  const by = { idempotencyKey, waitMs: longestWaitMs, onRepeat: repeatOf("cancel") }
  const body = { order_id: orderId }
  const answer = told("cancel", await client.sendUntilClear("/v1/trade/orders/cancel", body, by))
  if (!answer.ok) throw new Error(`${orderId} may still be open; look at the venue.`)
}

/** Says why a request is sent again: there was no room for it yet, or it isn't clear what became of it. */
function repeatOf(what: string): (failure: Failure) => void {
  return ({ code, status, mayHaveArrived, retryAfterMs = 0 }) => {
    const how = mayHaveArrived ? "under the same key" : `in ${Math.ceil(retryAfterMs / 1_000)} s`
    console.log(`${what}: ${code || status}, again ${how}`)
  }
}

/** Says what came of a request. */
function told(what: string, answer: Answer<VenueWords>): Answer<VenueWords> {
  console.log(`${what}: ${answer.ok ? "accepted" : `${answer.code}, ${answer.msg}`}`)
  return answer
}

/** What was asked for. @throws where it was refused. */
function wanted<Wanted>(answer: Answer<Wanted>): Wanted {
  if (answer.ok) return answer.data
  throw new Error(`${answer.code}: ${answer.msg}`)
}
