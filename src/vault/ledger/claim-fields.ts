import { formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { ClaimWindow, OrderSize } from "../policy/claim.ts"
import type { Refund } from "./refund.ts"
import type { RefundFields, SizeFields } from "./row.ts"
import { readDecimal } from "./stored-decimal.ts"

// Sizes and refunds as rows hold them, and back.

/** Writes what an order was sized at. */
export function sizeFieldsOf({ entry, legs }: OrderSize): SizeFields {
  return { entry: textOf(entry), legs: legs.map(textOf) }
}

/** Reads what an order was sized at. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readSize({ entry, legs }: SizeFields): OrderSize {
  return { entry: decimalOf(entry), legs: legs.map(decimalOf) }
}

/** Writes what is given back. */
export function refundFieldsOf({ meter, window, amount, max }: Refund): RefundFields {
  return {
    meter,
    amount: formatDecimal(amount),
    max: formatDecimal(max),
    window:
      window.kind === "rolling"
        ? { kind: "rolling", length_ms: window.lengthMs }
        : { kind: "day", start_ms: window.startMs, end_ms: window.endMs },
  }
}

/** Reads what is given back. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readRefund({ meter, amount, max, window }: RefundFields): Refund {
  return { meter, amount: readDecimal(amount), max: readDecimal(max), window: readWindow(window) }
}

function readWindow(window: RefundFields["window"]): ClaimWindow {
  return window.kind === "rolling"
    ? { kind: "rolling", lengthMs: window.length_ms }
    : { kind: "day", startMs: window.start_ms, endMs: window.end_ms }
}

function textOf(size: Decimal | null): string | null {
  return size === null ? null : formatDecimal(size)
}

function decimalOf(text: string | null): Decimal | null {
  return text === null ? null : readDecimal(text)
}
