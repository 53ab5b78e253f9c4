import type { IdempotencyKey } from "../../src/vault/ledger/records/idempotency.ts"
import { Buffer } from "node:buffer"

import { cancelPath, ordersPath } from "../support/open-test-vault.ts"
import type { Purpose, Wanted } from "./events.ts"
import type { KeyName } from "./fake-curve.ts"
import { bots, type Bot } from "./site.ts"

/** What a bot asked for, all that an answer is held against. */
export type Asked = {
  readonly bot: Bot
  readonly key: KeyName
  readonly path: string
  /** The fields of the body, which come back signed. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly lane: "open" | "reduce" | "cancel"
  /** How many, of what each costs 1. */
  readonly quantity: number
  readonly purpose: Purpose
  readonly idempotency: Omit<IdempotencyKey, "client"> | undefined
}

/** What is wanted, as the bot asks for it. */
export function askedBy(botIndex: number, wanted: Wanted, purpose: Purpose): Asked {
  const bot = bots[botIndex]!
  const { order, key = bot.keys[0] as KeyName } = wanted
  const idempotency = keyOf(bot, wanted)
  const base = { bot, key, purpose, idempotency }
  if (order === "cancel") {
    return { ...base, path: cancelPath, fields: { order_id: "1" }, lane: "cancel", quantity: 0 }
  }
  const isExit = typeof order === "object"
  const quantity = isExit ? order.exit : order
  const fields = {
    ...{ symbol_id: 1, is_buy: true, order_type: "limit", price: "1", quantity: String(quantity) },
    ...(isExit && { flags: ["reduce_only"] }),
    ...(idempotency?.by === "client_order_id" && { client_order_id: idempotency.key }),
  }
  return { ...base, path: ordersPath, fields, lane: isExit ? "reduce" : "open", quantity }
}

/** A cancel has no `client_order_id`. */
function keyOf({ idempotency_by }: Bot, { order, idempotency }: Wanted): Asked["idempotency"] {
  const by = idempotency_by ?? "header"
  const isWithout = order === "cancel" && by === "client_order_id"
  return idempotency === undefined || isWithout ? undefined : { by, key: `k${idempotency}` }
}

/** As `POST /sign` asks. */
export function signParams({ bot, key, path, fields, purpose, idempotency }: Asked) {
  const body = Buffer.from(JSON.stringify(fields)).toString("base64")
  return { token: bot.token, path, body, key, purpose, idempotencyKey: headerOf(idempotency) }
}

/** As `POST /sign/batch` asks. */
export function batchParams({ token }: Bot, asked: readonly Asked[]) {
  const requests = asked.map(({ key, path, fields, idempotency }) => ({
    ...{ path, key, body: fields, idempotency_key: headerOf(idempotency) },
  }))
  return { token, body: Buffer.from(JSON.stringify({ requests })).toString("base64") }
}

function headerOf(idempotency: Asked["idempotency"]): string | undefined {
  return idempotency?.by === "header" ? idempotency.key : undefined
}
