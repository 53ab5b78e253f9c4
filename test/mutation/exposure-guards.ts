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
        find: "      if (next.coveredMs < unknownUntilMs) return false\n",
        replace: "",
        why: "a restore's lost signatures are covered by a reading",
      },
      {
        find: "one.coveredMs < other.coveredMs",
        replace: "false",
        why: "a reading that overtook another needn't show what that one let go of",
      },
      {
        find: "if (unsettled.size >= maxInFlight)",
        replace: "if (unsettled.size > maxInFlight)",
        why: "more is in flight than may be",
      },
      {
        find: 'if (order.positionSide === undefined || order.positionSide === "both") return undefined',
        replace:
          'if (order.positionSide === undefined || order.positionSide === "both") return "neither"',
        why: "an order without a side isn't counted in hedge mode",
      },
      {
        find: "notional === null || opener.notional === null",
        replace: "notional === null || (opener.notional as unknown) === 0",
        why: "an order without a price counts as nothing",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/guard.ts",
    [`${unit}/guard`],
    [
      {
        find: "compareDecimals(worst, max) <= 0",
        replace: "compareDecimals(worst, max) < 0",
        why: "a guard excludes its maximum",
      },
      {
        find: "if (parts === undefined)",
        replace: "if (parts === undefined) continue\n    if ((parts as unknown) === null)",
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
