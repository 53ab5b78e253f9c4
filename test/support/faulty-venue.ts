import type { Socket } from "node:net"
import type { TestContext } from "node:test"

import { httpText, startRawVenue } from "./raw-venue.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** A venue that verifies nothing but that a nonce comes once, over a bad line. It counts what it places. */
export type FaultyVenue = {
  readonly base: string
  /** What came of an order, by its `client_order_id`. */
  order(id: string): SeenOrder
  /** Orders placed so far. */
  placed(): number
  /** How often each fault happened. */
  readonly faults: ReadonlyMap<string, number>
}

export type SeenOrder = {
  /** How often it came. */
  received: number
  /** How often it was placed: more than once is what must never be. */
  placed: number
  /** The different bodies that came. */
  readonly bodies: Set<string>
}

export type FaultyVenueAsk = {
  readonly random: SeededRandom
  /** Whether a nonce that was refused is a used one. */
  readonly refusalsUseNonces: boolean
}

/** The code of a nonce that was used before. */
export const usedNonceCode = "90210"

/** What isn't a fault. */
const plain: ReadonlySet<string> = new Set(["placed", "refused"])

const unseen = (): SeenOrder => ({ received: 0, placed: 0, bodies: new Set() })

/** Runs it on a free port until the test ends. */
export async function startFaultyVenue(
  t: Pick<TestContext, "after">,
  { random, refusalsUseNonces }: FaultyVenueAsk,
): Promise<FaultyVenue> {
  const orders = new Map<string, SeenOrder>()
  const nonces = new Set<number>()
  const faults = new Map<string, number>()
  let placed = 0

  const answerTo = ({ nonce }: OrderBody, seen: SeenOrder, wants: Wants): string => {
    if (nonces.has(nonce)) return no(usedNonceCode)
    if (wants === "place" || refusalsUseNonces) nonces.add(nonce)
    if (wants === "refuse") return no("90301")
    seen.placed += 1
    return yes(`o-${(placed += 1)}`)
  }
  const venue = await startRawVenue(t, {
    onRequest(socket, _, body) {
      const order = JSON.parse(body) as OrderBody
      const seen = orders.get(order.client_order_id) ?? unseen()
      orders.set(order.client_order_id, seen)
      seen.received += 1
      seen.bodies.add(body)
      const { name, wants, then } = random.pick(plays)
      if (!plain.has(name)) faults.set(name, (faults.get(name) ?? 0) + 1)
      then(socket, wants === undefined ? "" : answerTo(order, seen, wants))
    },
  })
  return {
    base: venue.base,
    order: (id) => orders.get(id) ?? unseen(),
    placed: () => placed,
    faults,
  }
}

type OrderBody = { readonly client_order_id: string; readonly nonce: number }
type Wants = "place" | "refuse"

type Play = {
  readonly name: string
  /** What the venue makes of the request; nothing where it never learns of it. */
  readonly wants?: Wants
  readonly then: (socket: Socket, answer: string) => void
}

const drop = (socket: Socket): void => void socket.destroy()
const reset = (socket: Socket): void => void socket.resetAndDestroy()
const silence = (): void => undefined
const tell = (socket: Socket, answer: string): void => void socket.write(answer)
const tellAndHangUp = (socket: Socket, answer: string): void => void socket.end(answer)
const page = (socket: Socket): void =>
  void socket.write(httpText("<html>Bad Gateway</html>", "502 Bad Gateway"))
const stranger = (socket: Socket): void => void socket.write(httpText('{"status":"ok"}'))
const failed = (socket: Socket): void =>
  void socket.write(httpText('{"code":"0"}', "500 Internal Server Error"))
const garbage = (socket: Socket): void => void socket.write("SSH-2.0-x\r\n\r\n")
const partOf = (share: number) => (socket: Socket, answer: string) =>
  void socket.end(answer.slice(0, Math.floor(answer.length * share)))
const limited = (socket: Socket): void =>
  void socket.write(
    httpText('{"code":"10029","data":{"scope":"address"}}', "429 Too Many Requests"),
  )

const plays: readonly Play[] = [
  { name: "placed", wants: "place", then: tell },
  { name: "placed, then closed", wants: "place", then: tellAndHangUp },
  { name: "refused", wants: "refuse", then: tell },
  { name: "refused for the rate", then: limited },
  { name: "dropped before acceptance", then: drop },
  { name: "dropped after acceptance", wants: "place", then: drop },
  { name: "dropped after refusal", wants: "refuse", then: drop },
  { name: "reset before acceptance", then: reset },
  { name: "reset after acceptance", wants: "place", then: reset },
  { name: "no answer, not accepted", then: silence },
  { name: "no answer, accepted", wants: "place", then: silence },
  { name: "half a head", wants: "place", then: partOf(0.2) },
  { name: "half a body", wants: "place", then: partOf(0.9) },
  { name: "garbage, accepted", wants: "place", then: garbage },
  { name: "502 page, not accepted", then: page },
  { name: "502 page, accepted", wants: "place", then: page },
  { name: "500 with code 0, accepted", wants: "place", then: failed },
  { name: "200 of a stranger, accepted", wants: "place", then: stranger },
]

function yes(orderId: string): string {
  return httpText(`{"code":"0","msg":"","data":{"order_id":"${orderId}"},"trace_code":""}`)
}

function no(code: string): string {
  return httpText(`{"code":"${code}","msg":"no","data":{},"trace_code":""}`, "400 Bad Request")
}
