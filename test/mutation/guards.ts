import { guardsOf, type Guard } from "./guard.ts"
import { ledgerGuards } from "./ledger-guards.ts"
import { limitGuards } from "./limit-guards.ts"
import { vaultGuards } from "./vault-guards.ts"

const policy = "vault/policy"
const unit = `unit/${policy}`

const matching: readonly Guard[] = [
  ...guardsOf(
    `${policy}/polarity.ts`,
    [`${unit}/order-matchers`, `${unit}/request-matchers`],
    [
      {
        find: 'if (reading === undefined) return polarity === "deny"',
        replace: "if (reading === undefined) return false",
        why: "what can't be read passes a deny",
      },
      {
        find: 'return polarity === "deny" ? reading.some(fits)',
        replace: 'return polarity === "deny" ? reading.every(fits)',
        why: "a deny needs all that a field may stand for",
      },
      {
        find: "reading.length > 0 && reading.every(fits)",
        replace: "reading.every(fits)",
        why: "a rule admits what is certainly absent",
      },
      {
        find: "reading.length > 0 && reading.every(fits)",
        replace: "reading.length > 0 && reading.some(fits)",
        why: "a rule admits what may also be something else",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/request-matchers.ts`,
    [`${unit}/request-matchers`],
    [
      {
        find: 'isWithinHours(hours, circumstances.nowMs) ?? polarity === "deny"',
        replace: "isWithinHours(hours, circumstances.nowMs) ?? false",
        why: "a time that no clock shows passes a deny",
      },
      {
        find: 'meetsCondition(condition, request.body) ?? polarity === "deny"',
        replace: 'meetsCondition(condition, request.body) ?? polarity === "rule"',
        why: "a field that can't be read meets a rule",
      },
      {
        find: "where.every((condition)",
        replace: "where.some((condition)",
        why: "one condition of where is enough",
      },
      {
        find: "return target ?? key.address",
        replace: "return key.address",
        why: "a target isn't the account",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/body-field.ts`,
    [`${unit}/request-matchers`],
    [
      {
        find: "if (answers.includes(undefined)) return undefined",
        replace: "if (answers.includes(undefined)) return true",
        why: "an unreadable field meets a condition",
      },
      {
        find: "compareDecimals(amount, min) >= 0",
        replace: "compareDecimals(amount, min) > 0",
        why: "min excludes itself",
      },
      {
        find: "compareDecimals(amount, max) <= 0",
        replace: "compareDecimals(amount, max) < 0",
        why: "max excludes itself",
      },
      {
        find: "if (texts?.includes(text) === false) return false",
        replace: "",
        why: "equals and in are passed over",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/hours.ts`,
    [`${unit}/hours`],
    [
      {
        find: "isListed(day) && minute >= fromMinute && minute < toMinute",
        replace: "isListed(day) && minute > fromMinute && minute < toMinute",
        why: "the first minute isn't within",
      },
      {
        find: "isListed(day) && minute >= fromMinute && minute < toMinute",
        replace: "isListed(day) && minute >= fromMinute && minute <= toMinute",
        why: "the last minute is within",
      },
      {
        find: "minute < toMinute && isListed(dayBefore(day))",
        replace: "minute < toMinute && isListed(day)",
        why: "hours over midnight belong to the wrong day",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/applies-to.ts`,
    [`${unit}/judge`],
    [
      {
        find: "return isClient && isKey",
        replace: "return isClient || isKey",
        why: "one of client and key is enough",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/match-entry.ts`,
    [`${unit}/judge`, `${unit}/order-matchers`],
    [
      {
        find: "if (!entry.operations.has(request.operation)) return undefined",
        replace: "",
        why: "an entry matches operations that it doesn't cover",
      },
      {
        find: "if (orders === undefined) return { orders: undefined }",
        replace: "if (orders === undefined) return undefined",
        why: "orders that can't be read pass a deny",
      },
      {
        find: "isPartMatched.includes(true)",
        replace: "!isPartMatched.includes(false)",
        why: "a deny needs the order and its legs",
      },
    ],
  ),
]

const deciding: readonly Guard[] = [
  ...guardsOf(
    `${policy}/judge.ts`,
    [`${unit}/judge`, `${unit}/hold`, `${unit}/claims-of`, `${unit}/order-size`],
    [
      { find: "if (match === undefined) continue", replace: "continue", why: "no deny refuses" },
      {
        find: "if (rules.some(({ stop }) => stop === undefined)) return undefined",
        replace: "return undefined",
        why: "no rule needs to allow",
      },
      {
        find: "if (!claims.ok) return refusedByLimit(claims.error, verdicts)",
        replace: 'if (!claims.ok) return { kind: "allow", rule: "", claims: [], sizes, verdicts }',
        why: "a limit that can't tell lets it pass",
      },
      {
        find: "return held === undefined\n",
        replace: "return held !== undefined || true\n",
        why: "no hold holds",
      },
      {
        find: "compareDecimals(band, widest) > 0 ? band : widest",
        replace: "compareDecimals(band, widest) > 0 ? widest : band",
        why: "limits size by the narrowest band",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/try-rule.ts`,
    [`${unit}/judge`, `${unit}/max-quantity`, `${unit}/max-notional`, `${unit}/order-matchers`],
    [
      {
        find: "if (rule.operations.has(request.operation)) return undefined",
        replace: "return undefined",
        why: "a rule allows operations that it doesn't cover",
      },
      {
        find: "if (orders !== undefined) return undefined",
        replace: "return undefined",
        why: "a rule allows orders that can't be read",
      },
      {
        find: 'order.tpsl?.mode === "full"',
        replace: 'order.tpsl?.mode === "partial"',
        why: "a full take-profit needs no word",
      },
      {
        find: 'orders !== undefined && request.operation !== "chaseOrder"',
        replace: "orders !== undefined",
        why: "a chase has a size",
      },
      {
        find: "const odd = parts.find((order)",
        replace: "const odd = parts.slice(0, 1).find((order)",
        why: "legs and batch items aren't judged",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/approve-agent-rule.ts`,
    [`${unit}/approve-agent-rule`],
    [
      {
        find: "if (!isAgentAllowed(agentAddress, rule, subject)) {",
        replace: "if (false as boolean) {",
        why: "anybody's agent is approved",
      },
      {
        find: "if (!authorized.includes(authorizedAddress)) {",
        replace: "if (false as boolean) {",
        why: "anybody authorizes",
      },
      {
        find: "if (!(validDays <= rule.maxValidDays)) {",
        replace: "if (!(validDays < rule.maxValidDays)) {",
        why: "the most days are refused",
      },
      {
        find: "if (!(validDays <= rule.maxValidDays)) {",
        replace: "if (validDays > rule.maxValidDays + 1) {",
        why: "a day more is allowed",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/reduces-risk.ts`,
    [`${unit}/reduces-risk`],
    [
      {
        find: 'payload.kind !== "orders" || payload.orders.length === 0',
        replace: 'payload.kind !== "orders"',
        why: "no order reduces risk",
      },
      {
        find: "payload.orders.every(",
        replace: "payload.orders.some(",
        why: "one reduce-only order vouches for a batch",
      },
      {
        find: "order.tpsl === undefined && ",
        replace: "",
        why: "legs ride on a reduce-only order",
      },
      {
        find: '?.market === "perp"',
        replace: '?.market !== "spot"',
        why: "an unknown symbol counts as a perpetual",
      },
    ],
  ),
]

const sizing: readonly Guard[] = [
  ...guardsOf(
    `${policy}/max-quantity.ts`,
    [`${unit}/max-quantity`],
    [
      {
        find: "if (compareDecimals(order.quantity, max) > 0) {",
        replace: "if (compareDecimals(order.quantity, max) >= 0) {",
        why: "max_quantity excludes itself",
      },
      {
        find: "if (max === undefined) {",
        replace: "if ((max as unknown) === null) {",
        why: "a symbol without a maximum passes",
      },
      {
        find: "if (under.rule.maxNotional !== undefined) return ok(undefined)",
        replace: "return ok(undefined)",
        why: "quote units pass a bound in base units",
      },
      {
        find: "if (over === undefined) return undefined",
        replace: "return undefined\n",
        why: "a batch isn't summed",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/size-bound.ts`,
    [`${unit}/max-quantity`, `${unit}/max-notional`],
    [
      {
        find: "compareDecimals(sum.amount, sum.max) > 0",
        replace: "compareDecimals(sum.amount, sum.max) >= 0",
        why: "a sum excludes its maximum",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/max-notional.ts`,
    [`${unit}/max-notional`],
    [
      {
        find: "if (compareDecimals(amount, max) > 0) {",
        replace: "if (compareDecimals(amount, max) >= 0) {",
        why: "max_notional excludes itself",
      },
      {
        find: "if (reference === undefined) {",
        replace: "if ((reference as unknown) === null) {",
        why: "a dead feed sizes orders",
      },
      {
        find: 'under.bound.kind === "scalar" ? symbol.quote : String(symbolId)',
        replace: "String(symbolId)",
        why: "one maximum is had once a symbol",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/worst-case.ts`,
    [`${unit}/max-notional`, `${unit}/max-quantity`, `${unit}/order-size`],
    [
      { find: "order.isBuy &&\n", replace: "", why: "a sell counts at its own price" },
      {
        find: "order.priceMatch === undefined &&\n    order.conditional",
        replace: "order.conditional",
        why: "a matched price counts as written",
      },
      {
        find: "compareDecimals(next.price, most.price) > 0 ? next : most",
        replace: "compareDecimals(next.price, most.price) > 0 ? most : next",
        why: "the lowest price is the worst",
      },
      {
        find: 'if (order.slippage === undefined) return err("slippage_required")',
        replace: "if (order.slippage === undefined) return ok(undefined)",
        why: "a market order without slippage is sized without",
      },
      {
        find: 'return market === "spot" && isPlainMarketOrder(read.order)',
        replace: 'return market === "spot"',
        why: "quote units are taken for any spot order",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/min-quantity.ts`,
    [`${unit}/price-bounds`, `${unit}/max-quantity`],
    [
      {
        find: "compareDecimals(order.quantity, min) < 0",
        replace: "compareDecimals(order.quantity, min) <= 0",
        why: "min_quantity excludes itself",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/max-slippage.ts`,
    [`${unit}/price-bounds`],
    [
      {
        find: "compareDecimals(slippage, max) > 0",
        replace: "compareDecimals(slippage, max) >= 0",
        why: "max_slippage excludes itself",
      },
      {
        find: "if (!mayBeMarket(part)) continue",
        replace: "continue",
        why: "no slippage is bounded",
      },
      {
        find: "part.leg === undefined ? part.order.slippage : undefined",
        replace: "part.order.slippage",
        why: "a leg has its order's slippage",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/price-band.ts`,
    [`${unit}/price-bounds`],
    [
      {
        find: "compareDecimals(addDecimals(price, most), reference) >= 0",
        replace: "compareDecimals(addDecimals(price, most), reference) > 0",
        why: "the band's lower edge is outside",
      },
      {
        find: "compareDecimals(price, addDecimals(reference, most)) <= 0",
        replace: "compareDecimals(price, addDecimals(reference, most)) < 0",
        why: "the band's upper edge is outside",
      },
      {
        find: "compareDecimals(priceMatchBand, band) <= 0",
        replace: "compareDecimals(priceMatchBand, band) < 0",
        why: "a match band as wide as the band is refused",
      },
      {
        find: "parts.flatMap(partPrices)",
        replace: "parts.slice(0, 1).flatMap(partPrices)",
        why: "legs may lie anywhere",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/max-expires-in.ts`,
    [`${unit}/price-bounds`, `${unit}/judge`, `${unit}/request-matchers`],
    [
      {
        find: "request.expiresInMs <= maxExpiresInMs",
        replace: "request.expiresInMs < maxExpiresInMs",
        why: "max_expires_in excludes itself",
      },
      {
        find: "request.expiresInMs <= maxExpiresInMs",
        replace: "!(request.expiresInMs > maxExpiresInMs)",
        why: "a time that is no number passes",
      },
    ],
  ),
]

/** Every guard that is tried. */
export const guards: readonly Guard[] = [
  ...matching,
  ...deciding,
  ...sizing,
  ...limitGuards,
  ...vaultGuards,
  ...ledgerGuards,
]
