// What a neighbour may flood a daemon with: whole requests as bytes, and how they are sent.

import { randomBytes } from "node:crypto"

import { limitOrder } from "../bot.ts"

export type Tokens = {
  /** Has policies, which refuse and hold some of its orders. */
  readonly neighbour: string
  /** Has none. */
  readonly outsider: string
}

export type Flood = {
  readonly connections: number
  /** Requests, or connections where they are all that is opened. */
  readonly perSecond: number
  /** `answered`: one request at a time on each connection; `blind`: all at once and never read; `held`: nothing is sent. */
  readonly how: "answered" | "blind" | "held"
  readonly request: (count: number, tokens: Tokens) => string
}

const place = "/sign/v1/trade/orders"

/** By what they do. */
export const floods = {
  "wrong tokens on 4 connections": answered(4, 1_000, () =>
    post(place, wrongToken(), limitOrder()),
  ),
  "wrong tokens on 64 connections": answered(64, 1_000, () =>
    post(place, wrongToken(), limitOrder()),
  ),
  "orders without a policy": answered(64, 500, (count, { outsider }) =>
    post(place, outsider, limitOrder({ price: String(count + 1) })),
  ),
  "orders that are refused": answered(64, 500, (count, { neighbour }) =>
    post(place, neighbour, limitOrder({ quantity: String(count + 1) })),
  ),
  "orders that are held": answered(64, 200, (count, { neighbour }) =>
    post(place, neighbour, limitOrder({ symbol_id: 2, price: String(count + 1) })),
  ),
  "shadows of a client without a policy": answered(64, 300, (count, { outsider }) =>
    post("/check/v1/trade/orders/batch", outsider, { orders: manyOrders(count) }),
  ),
  "shadows of a client with one": answered(64, 300, (count, { neighbour }) =>
    post("/check/v1/trade/orders/batch", neighbour, { orders: manyOrders(count) }),
  ),
  "batches of 100": answered(16, 20, (count, { neighbour }) =>
    post("/sign/batch", neighbour, {
      requests: manyOrders(count).map((body) => ({ path: "/v1/trade/orders", body })),
    }),
  ),
  "cancels of its own": answered(64, 500, (count, { neighbour }) =>
    post(`${place}/cancel`, neighbour, { order_id: String(count) }),
  ),
  "1,000 wrong tokens at once on a connection": {
    connections: 50,
    perSecond: 50,
    how: "blind",
    request: () => post(place, wrongToken(), limitOrder()).repeat(1_000),
  },
  "bodies that never end": {
    connections: 1_100,
    perSecond: 1_000,
    how: "held",
    request: () => post(place, wrongToken(), limitOrder()).slice(0, -1),
  },
  "1,100 idle connections": {
    connections: 1_100,
    perSecond: 1_000,
    how: "held",
    request: () => "",
  },
} satisfies Readonly<Record<string, Flood>>
export type FloodName = keyof typeof floods

function answered(connections: number, perSecond: number, request: Flood["request"]): Flood {
  return { connections, perSecond, how: "answered", request }
}

function wrongToken(): string {
  return `cs_${randomBytes(32).toString("base64url")}`
}

function manyOrders(count: number): readonly object[] {
  return Array.from({ length: 100 }, (_, index) =>
    limitOrder({ price: String(count * 100 + index + 1), quantity: "0.01" }),
  )
}

/** A request as bytes; a check asks to be recorded. */
function post(path: string, token: string, body: object): string {
  const text = JSON.stringify(body)
  const headers = path.startsWith("/check") ? "Countersign-Shadow: 1\r\n" : ""
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${headers}Content-Length: ${text.length}\r\n\r\n${text}`
}
