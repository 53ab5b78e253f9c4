import type { Claim, ClaimWindow } from "../../src/vault/policy/terms.ts"
import { parseDecimal, type Decimal } from "../../src/venue/decimal.ts"

export const hourMs = 3_600_000

/** Of a claim's amounts the text is enough. */
export type ClaimChanges = Partial<Omit<Claim, "amount" | "max">> & {
  readonly amount?: string
  readonly max?: string
  /** A rolling window. */
  readonly lengthMs?: number
}

/** One of ten in a rolling hour, enforced, never given back; changed. */
export function aClaim({
  amount = "1",
  max = "10",
  lengthMs = hourMs,
  ...changes
}: ClaimChanges = {}): Claim {
  return {
    policy: "market-maker",
    limit: "hourly",
    file: "policies/0.yaml",
    line: 7,
    meter: "orders:mm-bot",
    window: { kind: "rolling", lengthMs },
    mode: "enforce",
    release: "never",
    ...changes,
    amount: decimal(amount),
    max: decimal(max),
  }
}

/** The calendar day that begins at `startMs`. */
export function dayFrom(startMs: number, hours = 24): ClaimWindow {
  return { kind: "day", startMs, endMs: startMs + hours * hourMs }
}

/** @throws when `text` isn't a decimal. */
export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (parsed === undefined) throw new Error(`${text} isn't a decimal`)
  return parsed
}
