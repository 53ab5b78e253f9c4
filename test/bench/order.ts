// The same order for everyone who signs here.
import { limitOrder } from "../support/bot.ts"

/** Whole prices near the usual one, so that no two requests in a row are the same. */
const prices = Array.from({ length: 10 }, (_, step) => String(63_000 - step))

/** Bodies of orders that differ in price. */
export const orders: readonly Readonly<Record<string, unknown>>[] = prices.map((price) =>
  limitOrder({ price }),
)

/** The venue's path for them. */
export const ordersPath = "/v1/trade/orders"

/** The orders as the venue hashes them: one line, keys sorted. */
export const canonicalOrders: readonly string[] = orders.map((order) =>
  JSON.stringify(Object.fromEntries(Object.entries(order).sort(([a], [b]) => (a < b ? -1 : 1)))),
)

/** The sandbox's; the venue's structs name a contract, which is zero. */
export const domain = {
  name: "Service",
  version: "1",
  chainId: 842_569_901,
  verifyingContract: `0x${"00".repeat(20)}`,
} as const

/** The venue's struct of Signing Type A. */
export const agentTypes = {
  Agent: [
    { name: "signerAddress", type: "address" },
    { name: "actionHash", type: "bytes32" },
    { name: "nonce", type: "uint64" },
    { name: "expiresAfter", type: "uint64" },
  ],
} as const

/** As long as a signed body is that the daemon answers with. */
export const signedBody = JSON.stringify({
  expires_after: 1_795_249_026_211,
  ...limitOrder(),
  nonce: 1_795_249_011_211,
  signature: { r: `0x${"b3".repeat(32)}`, s: `0x${"5d".repeat(32)}`, v: 27 },
  signer_address: "0x602959845502DB329f0969E7a60D7CB9B5BE857D",
})
