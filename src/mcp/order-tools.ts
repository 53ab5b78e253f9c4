import * as z from "zod"

import type { Answer, CallOptions, VenueWords } from "../client/create-client.ts"
import { failureAnswer, refusalAnswer, unknownAnswer, type ToolAnswer } from "./answers.ts"
import { bodyOf, notionalOf, orderInput, symbolInput, wordsOf } from "./order-input.ts"
import { idOf, idPattern } from "./others-words.ts"
import { tool, type Desk, type Tool } from "./tool.ts"

const ordersPath = "/v1/trade/orders"
const id = z.string().regex(idPattern)

/** The tools that the order's way leads through: check, place, and out again. */
export function orderTools(desk: Desk): readonly Tool[] {
  const { operations } = desk.whoami
  const canPlace = operations.includes("placeOrder") && desk.symbols.size > 0
  return [
    ...(canPlace ? [checkOrder(desk), placeOrder(desk)] : []),
    ...(operations.includes("cancelOrder") ? [cancelOrder(desk)] : []),
    ...(operations.includes("cancelAll") ? [cancelAll(desk)] : []),
  ]
}

function checkOrder(desk: Desk): Tool {
  const { client, symbols, signal } = desk
  return tool({
    name: "check_order",
    description:
      "Asks whether an order would be signed now, and why; call it before place_order, which takes its `check` and the same order. It sends nothing and reserves nothing.",
    input: z.strictObject({ order: orderInput(symbols), ...keyInput(desk) }),
    hints: { readOnlyHint: true, openWorldHint: false },
    run: async ({ order, key }) => {
      const body = bodyOf(order, symbols)
      const by = { ...keyOf(key), shadow: true, signal }
      const answer = await client.check(ordersPath, body, by)
      if (!answer.ok) return failureAnswer(answer, desk.nowMs())
      const { would_sign, refusal, verdicts, limits, fits, do: act } = answer.data
      return {
        ok: true,
        check: answer.record ?? null,
        would_sign,
        ...(refusal !== null && { refusal: refusalAnswer({ ...refusal, do: act }, desk.nowMs()) }),
        in_words: wordsOf(body, symbols, desk.whoami.paper),
        worst: notionalOf(order),
        verdicts: verdicts
          .filter(({ reason }) => reason !== "endpoint_not_covered")
          .map(({ policy, rule, verdict, reason }) => {
            return { rule: `${policy}/${rule}`, verdict, reason }
          }),
        room: limits.map(({ policy, limit, max, used, asked }) => {
          return { limit: `${policy}/${limit}`, max, used, asked }
        }),
        fits: fits ?? null,
      }
    },
  })
}

function placeOrder(desk: Desk): Tool {
  const { client, symbols, signal } = desk
  return tool({
    name: "place_order",
    description:
      "Places an order that check_order has checked: give its `check` and the same order again. All is judged anew, so it may be refused. Called again with the same check it answers the same and places nothing more.",
    input: z.strictObject({
      check: id.describe("From check_order."),
      order: orderInput(symbols).describe("The same as was checked."),
      ...keyInput(desk),
    }),
    hints: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run: async ({ check, order, key }) => {
      const body = bodyOf(order, symbols)
      const by = { ...keyOf(key), check, signal }
      // By one check the daemon signs one order, whatever is sent again.
      const answer = await client.send(ordersPath, body, by)
      const in_words = wordsOf(body, symbols, desk.whoami.paper)
      return { ...sentAnswer(answer, desk), in_words }
    },
  })
}

function cancelOrder(desk: Desk): Tool {
  const { client, symbols, signal } = desk
  return tool({
    name: "cancel_order",
    description: "Cancels one order, by the order_id that place_order answered or by your own id.",
    input: z.strictObject({
      order_id: id.optional(),
      client_order_id: id.optional(),
      ...symbolChoice(desk),
    }),
    hints: wayOut,
    isWayOut: true,
    run: async ({ order_id, client_order_id, symbol }) => {
      const body = {
        ...(order_id !== undefined && { order_id }),
        ...(client_order_id !== undefined && { client_order_id }),
        ...symbolOf(symbol, symbols),
      }
      const by = { idempotencyKey: crypto.randomUUID(), signal }
      return sentAnswer(await client.send("/v1/trade/orders/cancel", body, by), desk)
    },
  })
}

function cancelAll(desk: Desk): Tool {
  const { client, symbols, signal } = desk
  return tool({
    name: "cancel_all",
    description: "Cancels all open orders of the account, or those in one symbol.",
    input: z.strictObject(symbolChoice(desk)),
    hints: wayOut,
    isWayOut: true,
    run: async ({ symbol }) => {
      const by = { idempotencyKey: crypto.randomUUID(), signal }
      const body = symbolOf(symbol, symbols)
      return sentAnswer(await client.send("/v1/trade/orders/cancel-all", body, by), desk)
    },
  })
}

const wayOut = { destructiveHint: true, idempotentHint: true, openWorldHint: true } as const

function symbolChoice({ symbols }: Desk) {
  return { symbol: (symbols.size === 0 ? z.never() : symbolInput(symbols)).optional() }
}

function symbolOf(symbol: string | undefined, symbols: ReadonlyMap<string, number>) {
  const symbolId = symbol === undefined ? undefined : symbols.get(symbol)
  return symbolId === undefined ? {} : { symbol_id: symbolId }
}

function keyInput({ whoami }: Desk) {
  const names = whoami.keys.filter(({ role }) => role === "agent").map(({ name }) => name)
  const key = names.length === 0 ? z.never() : z.enum(names)
  return { key: key.optional().describe("The key that signs; the usual one without.") }
}

function keyOf(key: string | undefined): CallOptions {
  return key === undefined ? {} : { key }
}

/** What became of what was to be signed and sent. */
function sentAnswer(answer: Answer<VenueWords>, desk: Desk): ToolAnswer {
  if (answer.ok) {
    const { record, isRepeat, data } = answer
    const orderId = idOf(data["order_id"])
    return {
      ok: true,
      record: record ?? null,
      state: idOf(data["state"]) ?? "accepted",
      ...(orderId !== undefined && { order_id: orderId }),
      repeated: isRepeat,
    }
  }
  return answer.mayHaveArrived ? unknownAnswer(answer.record) : failureAnswer(answer, desk.nowMs())
}
