import { guardsOf, type Guard } from "./guard.ts"

const equity = "unit/vault/guards/equity"
const guard = "unit/vault/guards/guard"
const losses = "unit/vault/operator/guard-losses"
const following = "unit/vault/operator/follow-equity"

/** How much an account may lose. */
export const lossGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/guards/equity.ts",
    [equity],
    [
      {
        find: "deposit ? paidIn(before, deposit) : before",
        replace: "before",
        why: "a deposit makes losses smaller",
      },
      {
        find: "compareDecimals(seen.equity, high.at) > 0",
        replace: "true",
        why: "a drawdown counts from the last reading",
      },
      {
        find: "if (last !== undefined && last.fromMs >= startMs) return [zone, last]",
        replace: "",
        why: "a day begins anew with each reading",
      },
      {
        find: "last.fromMs >= startMs",
        replace: "last.fromMs >= 0",
        why: "a day never ends",
      },
      {
        find: "maxDecimal(before.equity, seen.equity)",
        replace: "seen.equity",
        why: "what is lost over midnight is forgiven",
      },
      {
        find: " && compareDecimals(at, hour.at) > 0",
        replace: "",
        why: "a window's first hour counts, not its highest",
      },
      {
        find: "fromMs > hour.fromMs - longestWindowMs - hourMs",
        replace: "fromMs > hour.fromMs - longestWindowMs",
        why: "the first hour of the longest window is forgotten",
      },
      {
        find: "recent.at(-1)?.fromMs === hour.fromMs ?",
        replace: "recent.length > 0 ?",
        why: "only the first hour is remembered",
      },
      {
        find: "excessOf(at, amount)",
        replace: "at",
        why: "what a person says was paid out stays a loss",
      },
      {
        find: "addDecimals(at, amount)",
        replace: "at",
        why: "what was paid in counts as profit",
      },
      {
        find: "earlier.length === later.length &&",
        replace: "",
        why: "a new hour isn't recorded",
      },
      {
        find: "earlier.every((mark, index) => isSame(mark, later[index])) &&",
        replace: "",
        why: "a mark that moved is lost at a restart",
      },
      {
        find: "name !== named || ",
        replace: "",
        why: "a day in another time zone isn't recorded",
      },
      {
        find: "compareDecimals(one.at, other.at) === 0 && compareDecimals(one.of, other.of) === 0",
        replace: "true",
        why: "a higher mark is lost at a restart",
      },
      {
        find: " &&\n    isNear(before.equity, after.equity)",
        replace: "",
        why: "a deposit while the daemon is down is profit",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/equity.ts",
    [losses, following],
    [
      {
        find: "compareDecimals(apart(had, equity), plausible) <= 0",
        replace: "true",
        why: "a garbled number is believed",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/loss.ts",
    [equity, guard],
    [
      {
        find: "excessOf(from.at, equity)",
        replace: "excessOf(from.of, equity)",
        why: "a deposit is counted as profit",
      },
      {
        find: "multiplyDecimals(from.of, max.value)",
        replace: "multiplyDecimals(from.at, max.value)",
        why: "who pays in may lose more",
      },
      {
        find: "fromMs + hourMs > readAtMs - window.lengthMs",
        replace: "fromMs > readAtMs - window.lengthMs",
        why: "a window is up to an hour shorter",
      },
      {
        find: "if (unit === undefined) return undefined",
        replace: "if (unit === undefined) continue",
        why: "a position without a price is no risk",
      },
      {
        find: "multiplyDecimals(held.then, move)",
        replace: "multiplyDecimals(held.now, move)",
        why: "what is asked is no risk",
      },
      {
        find: "addDecimals(costs.inFlight, before)",
        replace: "costs.inFlight",
        why: "what is held is no risk",
      },
      {
        find: "addDecimals(costs.asked, subtractDecimals(after, before))",
        replace: "subtractDecimals(after, before)",
        why: "an order that crosses the market costs nothing",
      },
    ],
  ),
  ...guardsOf(
    "vault/guards/guard.ts",
    [guard],
    [
      {
        find: 'if (typeof loss === "string") return { kind: loss }',
        replace: 'if (typeof loss === "string") return undefined',
        why: "a loss that can't be told is none",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/guard-losses.ts",
    [losses, following],
    [
      {
        find: "if (marks.mapping !== set.profile.accountPoll?.mapping)",
        replace: 'if (marks.mapping === "slip")',
        why: "losses count on from what another field said",
      },
      {
        find: "nowMs - readAtMs > guard.loss.maxAgeMs",
        replace: "false",
        why: "an old reading is believed",
      },
      {
        find: "max !== null && nowMs < until ?",
        replace: "max !== null && until > 0 ?",
        why: "a guard that was re-armed allows more for good",
      },
      {
        find: "day.fromMs >= state.until",
        replace: "day.fromMs >= 0",
        why: "a trip of the day ends at once",
      },
      {
        find: "if (state?.max !== null) return undefined",
        replace: "return undefined",
        why: "nothing trips",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/follow-equity.ts",
    [losses, following],
    [
      {
        find: "side === undefined || side === last.doubt",
        replace: "side === undefined",
        why: "a withdrawal is never believed",
      },
      {
        find: "minDecimal(equity, minDecimal(had, last.equity ?? had))",
        replace: "had",
        why: "a loss that is in doubt is no loss",
      },
      {
        find: "minDecimal(equity, minDecimal(had, last.equity ?? had))",
        replace: "equity",
        why: "a garbled number gives room",
      },
      {
        find: "minDecimal(equity, minDecimal(had, last.equity ?? had))",
        replace: "minDecimal(equity, had)",
        why: "one number in doubt forgives another",
      },
      {
        find: "(last.believed ?? recorded?.equity)",
        replace: "recorded?.equity",
        why: "a loss of less than a thousandth is forgiven",
      },
      {
        find: "  else Object.assign(last, { over: new Set() })\n",
        replace: "",
        why: "readings that aren't in a row freeze",
      },
      {
        find: " && last.over.has(fullName(guard))",
        replace: "",
        why: "one reading freezes",
      },
      {
        find: "moved.deposit === undefined && isAsRecorded(recorded, moved.marks)",
        replace: "moved.deposit === undefined",
        why: "no mark moves",
      },
      {
        find: "recorded.mapping !== seen.mapping || ",
        replace: "",
        why: "losses count on from what another field said",
      },
      {
        find: "until: dayEnd(guard, readAtMs)",
        replace: "until: null",
        why: "a trip of the day doesn't end with it",
      },
      {
        find: 'then === "freeze" && ',
        replace: "",
        why: "a guard freezes that shouldn't",
      },
      {
        find: 'guard.loss.then !== "refuse" && ',
        replace: "",
        why: "a guard trips that should refuse alone",
      },
      {
        find: "sum = addDecimals(sum, multiplyDecimals(mayHold(worst, symbolId).now, perUnit))",
        replace: "",
        why: "profit of a position counts as a deposit",
      },
      {
        find: "addDecimals(moved, multiplyDecimals(price, ofPrice))",
        replace: "moved",
        why: "the venue's price has to be the reference price",
      },
      {
        find: "const moved = apart(price, last.prices.get(symbolId) ?? price)",
        replace: "const moved = price",
        why: "a deposit of what a position is worth is profit",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/guard-methods.ts",
    [losses, following],
    [
      {
        find: "Math.min(since + forMs, dayEnd(guard, since) ?? Infinity)",
        replace: "since + forMs",
        why: "what a day is allowed more holds the next",
      },
      {
        find: "account.last.over = new Set()",
        replace: "",
        why: "one reading freezes after a person re-armed",
      },
      {
        find: "shown === undefined || isFar(shown, equity)",
        replace: "shown === undefined",
        why: "a person agrees to another equity than was shown",
      },
      {
        find: ", anchored: true",
        replace: "",
        why: "an anchor leaves guards tripped",
      },
      {
        find: "...{ equity, readAtMs, believed: equity },",
        replace: "",
        why: "losses count from what was shown and by what was doubted",
      },
    ],
  ),
]
