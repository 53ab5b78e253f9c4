import { guardsOf, type Guard } from "./guard.ts"

const unit = "unit/vault/guards"

/** How far an account may come. */
export const exposureGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/guards/exposure.ts",
    [`${unit}/exposure`, "unit/vault/request/count-uncovered"],
    [
      {
        find: "askedAtMs - lagMs - skewMs.untold",
        replace: "askedAtMs - skewMs.untold",
        why: "a reading covers what may not show yet",
      },
      {
        find: "Math.min(askedAtMs - lagMs - skewMs.told, venueAtMs - lagMs - 1)",
        replace: "askedAtMs - lagMs - skewMs.told",
        why: "a clock that is ahead of the venue's covers what may still be taken",
      },
      {
        find: "one.coveredMs < other.coveredMs",
        replace: "false",
        why: "a reading that overtook another needn't show what that one let go of",
      },
      {
        find: "sumDecimals([sums.notional, opener.notional])",
        replace: "sumDecimals([sums.notional, opener.notional ?? zero])",
        why: "an order without a price counts as nothing",
      },
      {
        find: 'if (order.positionSide === undefined || order.positionSide === "both") return undefined',
        replace:
          'if (order.positionSide === undefined || order.positionSide === "both") return "neither"',
        why: "an order without a side isn't counted in hedge mode",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/open-exposure.ts",
    [`${unit}/exposure`, "unit/vault/request/count-uncovered"],
    [
      {
        find: "      if (next.coveredMs < unknownUntilMs) return false\n",
        replace: "",
        why: "a restore's lost signatures are covered by a reading",
      },
      {
        find: "if (unsettled.count() >= maxInFlight)",
        replace: "if (unsettled.count() > maxInFlight)",
        why: "more is in flight than may be",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/contradiction.ts",
    [`${unit}/contradiction`],
    [
      {
        find: "...worseOf({ ...before, notional }, next)",
        replace: "...next",
        why: "a reading that shows what can't be is believed",
      },
      {
        find: "isBeyond(next.reading, last, inFlight)",
        replace: "isBeyond(next.reading, before, inFlight)",
        why: "a reading that only one before the last allows counts as agreeing",
      },
      {
        find: "...worseOf({ ...before, notional }, next)",
        replace: "...worseOf(before, next)",
        why: "what orders come to is told by ever more readings",
      },
      {
        find: "{ reading, coveredMs, quantities,",
        replace: "{ reading, coveredMs: other.coveredMs, quantities,",
        why: "a reading that shows what can't be frees what is in flight",
      },
      {
        find: "maxDecimal(known.long, long)",
        replace: "long",
        why: "a reading that shows what can't be frees what the last one showed",
      },
      {
        find: "Math.max(one.orders, other.orders)",
        replace: "other.orders",
        why: "a reading that shows what can't be frees open orders",
      },
      {
        find: "first && second && maxDecimal(first, second)",
        replace: "first && second",
        why: "a reading that shows what can't be frees what open orders come to",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/freed.ts",
    [`${unit}/freed`],
    [
      {
        find: "may ? excessOf(of, may) : zero",
        replace: "zero",
        why: "a new day frees what was held back",
      },
      {
        find: "if (next === day) return",
        replace: "if (day !== undefined) return",
        why: "no day frees what another held back",
      },
      {
        find: "day === undefined ? new Map<number, never>() : unread",
        replace: "unread",
        why: "what is counted anew at a start is spent by the first reading",
      },
      {
        find: "addQuantity(unread, opener)",
        replace: "addQuantity(new Map(unread), opener)",
        why: "readings free what was signed today, all of it",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/reach.ts",
    [`${unit}/reach`],
    [
      {
        find: "ageMs >= 0 && ageMs <= believedMs",
        replace: "ageMs <= believedMs",
        why: "a reading ahead of time refuses a way out",
      },
      {
        find: "ageMs <= believedMs",
        replace: "ageMs <= 2 * believedMs",
        why: "an old reading refuses a way out of what others opened",
      },
      {
        find: " || exposure.contradiction() !== undefined",
        replace: "",
        why: "a reading that is known to be wrong refuses a way out",
      },
      {
        find: "isBuy: !order.isBuy",
        replace: "isBuy: order.isBuy",
        why: "what an order would enlarge lets it reduce",
      },
      {
        find: " || order.algoOrderType !== undefined",
        replace: "",
        why: "a stop isn't signed before its entry",
      },
      {
        find: "[measured, inFlight].some(",
        replace: "[measured].some(",
        why: "an exit isn't signed right after its entry",
      },
      {
        find: "sides.includes(undefined) ?",
        replace: "sides[0] === undefined ?",
        why: "one order without a position stops a batch that closes others",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/guard-request.ts",
    ["unit/vault/request/guard-request"],
    [
      {
        find: "if (!isBelieved(ageMs)) return undefined\n",
        replace: "",
        why: "an old reading refuses a way out of what others opened",
      },
      {
        find: "account.poll.isWanted = true // the next",
        replace: "// the next",
        why: "a flood goes on until the account is read by itself",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/guard.ts",
    [`${unit}/guard`, `${unit}/freed`],
    [
      {
        find: "addDecimals(parts.measured, beyond(symbolId, side))",
        replace: "parts.measured",
        why: "what readings freed beyond max_freed is free",
      },
      {
        find: "compareDecimals(worst, max) <= 0",
        replace: "compareDecimals(worst, max) < 0",
        why: "a guard excludes its maximum",
      },
      {
        find: "if (parts === undefined || max === undefined)",
        replace: "if (parts === undefined) continue\n    if (max === undefined)",
        why: "a position in quote units passes without a price",
      },
      {
        find: 'if (kind === "net")',
        replace: 'if (kind !== "notional")',
        why: "gross bounds one side alone",
      },
      {
        find: 'if (worst === "no_reading") return { kind: worst }',
        replace: 'if (worst === "no_reading") return undefined',
        why: "what nothing was read of passes",
      },
    ],
  ),
]
