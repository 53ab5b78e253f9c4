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

/** What is used of a limit at a moment: a plain sum over all that was recorded. */
export function usedOf(earlier: readonly Recorded[], ask: Ask): bigint {
  const { limit, whose, atMs, slackMs = 0, isFree = () => false } = ask
  return earlier
    .filter(({ row }) => whoseRoom(limit, row) === whose)
    .filter(({ row }) => (row.counted_at ?? row.at_ms) + limit.windowMs + slackMs > atMs)
    .filter((each) => !isFree(each))
    .reduce((sum, each) => sum + amountIn(limit, each), 0n)
}
