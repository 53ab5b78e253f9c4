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
  const answer = await settle(`place ${order.quantity}`, (onRepeat) =>
    client.sendUntilClear("/v1/trade/orders", order, { idempotencyKey: key, onRepeat }),
  )
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
  const answer = await settle("cancel", (onRepeat) =>
    client.sendUntilClear(
      "/v1/trade/orders/cancel",
      { order_id: orderId },
      { idempotencyKey, onRepeat },
    ),
  )
  if (!answer.ok) throw new Error(`${orderId} may still be open; look at the venue.`)
}

/** Says what comes of a request, and sends it anew when the time has come that a refusal of the daemon's tells. */
async function settle(
  what: string,
  send: (onRepeat: (failure: Failure) => void) => Promise<Answer<VenueWords>>,
): Promise<Answer<VenueWords>> {
  for (;;) {
    const answer = await send(({ code, status }) => {
      console.log(`${what}: ${code || status}, again under the same key`)
    })
    if (answer.ok) {
      console.log(`${what}: accepted`)
      return answer
    }
    const waitMs = waitOf(answer)
    const next = waitMs === undefined ? answer.msg : `again in ${waitMs / 1_000} s`
    console.log(`${what}: ${answer.code}, ${next}`)
    if (waitMs === undefined) return answer
    await wait(waitMs)
  }
}

/** limit_exhausted, a spent rate budget and the like. What the venue refused stays refused under its key. */
function waitOf({ source, mayHaveArrived, retryAfterMs }: Failure): number | undefined {
  const isPassing = source === "daemon" && !mayHaveArrived
  if (!isPassing || retryAfterMs === undefined) return undefined
  return retryAfterMs <= longestWaitMs ? retryAfterMs : undefined
}

/** What was asked for. @throws where it was refused. */
function wanted<Wanted>(answer: Answer<Wanted>): Wanted {
  if (answer.ok) return answer.data
  throw new Error(`${answer.code}: ${answer.msg}`)
}
