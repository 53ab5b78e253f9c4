// The write endpoints of the Trade area that the sandbox plays. Only placeOrder's bodies and answers
// are the interface's; those of the cancels are invented.
import { ok } from "../std/result.ts"
import { actionTags } from "./action-tags.ts"
import { admitTypeA } from "./admit.ts"
import { addOrder, cancelAll, cancelOrder, nextOrderId, type Book } from "./book.ts"
import { errorCodes, reject } from "./error-codes.ts"
import { checkFields, checkRequired, integer, listOf, text, type Body } from "./fields.ts"
import { rememberNonce } from "./nonces.ts"
import { checkOrderFields } from "./order-fields.ts"
import { checkOrderRules } from "./order-rules.ts"
import type { Play } from "./venue.ts"

/** `POST /v1/trade/orders`: market orders fill at once, the others stay open. */
export const playPlaceOrder: Play = (body, turn) => {
  const admitted = admitTypeA(body, actionTags.placeOrder, turn)
  if (!admitted.ok) return admitted
  const refused = checkOrderFields(body) ?? checkOrderRules(body)
  if (refused !== undefined) return { ok: false, error: refused }

  const { signer, account, nonce, signingHash } = admitted.value
  const { book, nonces } = turn.venue
  rememberNonce(nonces, signer, nonce)
  const orderId = nextOrderId(book)
  const state = stateOf(body)
  if (state === "open") addOrder(book, body, { orderId, account, nowMs: turn.nowMs })
  return ok({
    data: {
      tx_hash: signingHash,
      order_id: orderId,
      client_order_id: body["client_order_id"] ?? null,
      state,
    },
    note: `order ${orderId} ${state}`,
  })
}

/** `POST /v1/trade/orders/cancel` with `order_id`. */
export const playCancelOrder: Play = (body, turn) => {
  const admitted = admitTypeA(body, actionTags.cancelOrder, turn)
  if (!admitted.ok) return admitted
  const misfit = checkRequired(body, ["order_id"]) ?? checkFields(body, { order_id: text })
  if (misfit !== undefined) return { ok: false, error: misfit }

  const { signer, account, nonce, signingHash } = admitted.value
  const order = cancelOrder(turn.venue.book, account, String(body["order_id"]))
  if (order === undefined) {
    return reject("unknown_order", "The account has no open order with this order_id.")
  }
  rememberNonce(turn.venue.nonces, signer, nonce)
  const { order_id, client_order_id } = order
  return ok({
    data: { tx_hash: signingHash, order_id, client_order_id, state: "cancelled" },
    note: `order ${order_id} cancelled`,
  })
}

/** `POST /v1/trade/orders/batch/cancel` with `order_ids`: each item has a code of its own. */
export const playCancelBatch: Play = (body, turn) => {
  const admitted = admitTypeA(body, actionTags.cancelBatch, turn)
  if (!admitted.ok) return admitted
  const misfit =
    checkRequired(body, ["order_ids"]) ?? checkFields(body, { order_ids: listOf(text) })
  if (misfit !== undefined) return { ok: false, error: misfit }

  const { signer, account, nonce, signingHash } = admitted.value
  rememberNonce(turn.venue.nonces, signer, nonce)
  const orderIds = body["order_ids"] as readonly string[] // checked above
  const list = orderIds.map((orderId) => cancelItem(turn.venue.book, account, orderId))
  const cancelled = list.filter(({ state }) => state !== null).length
  return ok({
    data: { tx_hash: signingHash, list },
    note: `${cancelled} of ${list.length} orders cancelled`,
  })
}

/** `POST /v1/trade/orders/cancel-all`, of the account, or with `symbol_id` in one symbol. */
export const playCancelAll: Play = (body, turn) => {
  const admitted = admitTypeA(body, actionTags.cancelAll, turn)
  if (!admitted.ok) return admitted
  const misfit = checkFields(body, { symbol_id: integer(0, Number.MAX_SAFE_INTEGER) })
  if (misfit !== undefined) return { ok: false, error: misfit }

  const { signer, account, nonce, signingHash } = admitted.value
  rememberNonce(turn.venue.nonces, signer, nonce)
  const orderIds = cancelAll(turn.venue.book, account, body["symbol_id"])
  return ok({
    data: { tx_hash: signingHash, order_ids: orderIds },
    note: `${orderIds.length} orders cancelled`,
  })
}

type CancelledItem = {
  readonly order_id: string
  readonly state: "cancelled" | null
  readonly code: string
}

function cancelItem(book: Book, account: string, orderId: string): CancelledItem {
  return cancelOrder(book, account, orderId) === undefined
    ? { order_id: orderId, state: null, code: errorCodes.unknown_order }
    : { order_id: orderId, state: "cancelled", code: "0" }
}

/** Invented, as all states are: what can't rest in a book is filled, what waits for a trigger is open. */
function stateOf(order: Body): "open" | "filled" {
  const waits = order["algo_order_type"] === "conditional" || order["algo_order_type"] === "tpsl"
  const rests = order["order_type"] === "limit" && (order["time_in_force"] ?? "gtc") === "gtc"
  return waits || rests ? "open" : "filled"
}
