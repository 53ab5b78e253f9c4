import type { SimLimit } from "../site.ts"
import type { Recorded } from "./journal.ts"

/** What a limit counts of a request, in whole units; 0 of what it doesn't count. */
export function amountIn(
  { counts }: SimLimit,
  { lane, quantity }: Pick<Recorded, "lane" | "quantity">,
): bigint {
  if (lane !== "open") return 0n
  return counts === "requests" ? 1n : BigInt(quantity)
}

/** Whose room of a limit a request takes. */
export function whoseRoom(
  { per }: SimLimit,
  { client, key }: { client: string; key: string },
): string {
  return { client, key, all: "" }[per]
}

type Ask = {
  readonly limit: SimLimit
  readonly whose: string
  readonly atMs: number
  /** How much longer than its window something counts at most. */
  readonly slackMs?: number
  readonly isFree?: (earlier: Recorded) => boolean
}

/** What is used of a limit at a moment: a plain sum over all that was recorded, for `ever` while it was in force. */
export function usedOf(earlier: readonly Recorded[], ask: Ask): bigint {
  const { limit, whose, atMs, slackMs = 0, isFree = () => false } = ask
  return earlier
    .filter(({ row }) => whoseRoom(limit, row) === whose)
    .filter(({ row }) => (row.counted_at ?? row.at_ms) + limit.windowMs + slackMs > atMs)
    .filter(({ policy: then }) => limit.windowMs < Infinity || then.limits.includes(limit))
    .filter((each) => !isFree(each))
    .reduce((sum, each) => sum + amountIn(limit, each), 0n)
}

export type Fields = Readonly<Record<string, unknown>>

type Same = {
  readonly client: string
  readonly key: string
  readonly path: string
  readonly fields: Fields
}

/** Whether a client asked for the very same after `sinceMs`, whatever it called its order. */
export function hasSame(
  earlier: readonly Recorded[],
  { sinceMs, ...ask }: Same & { readonly sinceMs: number },
): boolean {
  return earlier.some(({ row }) => {
    const { client, key, path, body, counted_at: countedAt = row.at_ms } = row
    const same = { client, key, path, fields: JSON.parse(body) as Fields }
    return countedAt > sinceMs && sameness(same) === sameness(ask)
  })
}

function sameness({ client, key, path, fields }: Same): string {
  const named = Object.entries(fields).filter(([name]) => name !== "client_order_id")
  return JSON.stringify([client, key, path, named.map(String).sort()])
}
