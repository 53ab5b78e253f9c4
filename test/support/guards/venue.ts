/** A venue of one account, as far as positions go, in whole numbers and without anything of the sources. */

export type VenueOrder = {
  readonly symbol: number
  readonly isBuy: boolean
  /** In hedge mode alone. */
  readonly positionSide: "long" | "short" | undefined
  readonly quantity: number
  readonly price: number
  readonly reduceOnly: boolean
}

export type OpenOrder = VenueOrder & { readonly id: number; readonly remaining: number }

/** `side` is `net` in one-way mode, where the quantity of a short position is below zero. */
export type Position = {
  readonly symbol: number
  readonly side: "net" | "long" | "short"
  readonly quantity: number
}

/** All of it at a moment. */
export type Truth = {
  readonly orders: readonly OpenOrder[]
  readonly positions: readonly Position[]
}

export type Venue = ReturnType<typeof openVenue>

export function openVenue() {
  let truth: Truth = { orders: [], positions: [] }
  let count = 0
  const history: { readonly atMs: number; readonly truth: Truth }[] = []

  function become(atMs: number, next: Truth): void {
    truth = next
    history.push({ atMs, truth })
  }

  function fill(atMs: number, order: OpenOrder, upTo: number): void {
    const position = positionOf(truth, order)
    const filled = Math.min(upTo, order.remaining, canFill(order, position))
    const rest = filled < upTo ? 0 : order.remaining - filled // what can't reduce any more is cancelled
    const others = truth.orders.filter(({ id }) => id !== order.id)
    const orders = rest === 0 ? others : [...others, { ...order, remaining: rest }]
    const quantity = position.quantity + (raises(order) ? filled : -filled)
    become(atMs, { orders, positions: withPosition(truth, { ...position, quantity }) })
  }

  return {
    now: (): Truth => truth,
    /** Takes an order into the book, and fills so much of it at once. */
    accept(atMs: number, order: VenueOrder, fills: number): void {
      count += 1
      const open = { ...order, id: count, remaining: order.quantity }
      become(atMs, { ...truth, orders: [...truth.orders, open] })
      if (fills > 0) fill(atMs, open, fills)
    },
    fill,
    cancel(atMs: number, order: OpenOrder): void {
      become(atMs, { ...truth, orders: truth.orders.filter(({ id }) => id !== order.id) })
    },
    /** Takes so much of a position away, as a liquidation does. */
    liquidate(atMs: number, position: Position, upTo: number): void {
      const by = Math.min(upTo, Math.abs(position.quantity)) * Math.sign(position.quantity)
      const less = { ...position, quantity: position.quantity - by }
      become(atMs, { ...truth, positions: withPosition(truth, less) })
    },
    /** What was true at a moment, with all that was done until then. */
    at: (atMs: number): Truth =>
      history.findLast((entry) => entry.atMs <= atMs)?.truth ?? { orders: [], positions: [] },
  }
}

function positionOf({ positions }: Truth, { symbol, positionSide }: VenueOrder): Position {
  const side = positionSide ?? "net"
  const held = positions.find((each) => each.symbol === symbol && each.side === side)
  return held ?? { symbol, side, quantity: 0 }
}

function withPosition({ positions }: Truth, position: Position): readonly Position[] {
  const others = positions.filter(
    ({ symbol, side }) => symbol !== position.symbol || side !== position.side,
  )
  return position.quantity === 0 ? others : [...others, position]
}

/** Whether a fill adds to the position's number. */
function raises({ isBuy, positionSide }: VenueOrder): boolean {
  return positionSide === "short" ? !isBuy : isBuy
}

function canFill(order: VenueOrder, { side, quantity }: Position): number {
  if (side !== "net") return raises(order) ? Infinity : quantity
  if (!order.reduceOnly) return Infinity
  return Math.max(0, order.isBuy ? -quantity : quantity)
}
