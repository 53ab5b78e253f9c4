import { guardsOf, type Guard } from "./guard.ts"

const policy = "vault/policy"
const unit = `unit/${policy}`

/** How a request is decided. */
export const decidingGuards: readonly Guard[] = [
  ...guardsOf(
    `${policy}/judge.ts`,
    [`${unit}/judge`, `${unit}/hold`, `${unit}/claims-of`, `${unit}/order-size`],
    [
      { find: "if (match === undefined) continue", replace: "continue", why: "no deny refuses" },
      {
        find: "return mismatch && denialBy(first.policy, first.rule, mismatch)",
        replace: "return undefined",
        why: "no rule needs to allow",
      },
      {
        find: "if (!claims.ok) return refusedByLimit(claims.error, verdicts)",
        replace: 'if (!claims.ok) return { kind: "allow", rule: "", claims: [], sizes, verdicts }',
        why: "a limit that can't tell lets it pass",
      },
      {
        find: "return hold === undefined ?",
        replace: "return hold !== undefined || true ?",
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
    `${policy}/foremost-rules.ts`,
    [`${unit}/judge`, "properties/policy-agrees"],
    [
      {
        find: "reading === undefined || reading.length === 0",
        replace: "reading === undefined",
        why: "what is certainly absent fits every list",
      },
      {
        find: "accepting.get(value) ?? acceptingAll",
        replace: "accepting.get(value) ?? ruleSet(rules.length, rules.keys())",
        why: "what no rule lists fits every list",
      },
      {
        find: "if (isEmpty(left)) break",
        replace: "if (isEmpty(left)) continue",
        why: "a refusal names a rule that wasn't nearest",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/try-rule.ts`,
    [
      `${unit}/judge`,
      `${unit}/max-quantity`,
      `${unit}/max-notional`,
      `${unit}/order-matchers`,
      "properties/policy-agrees",
    ],
    [
      {
        find: "if (operations.has(request.operation)) return undefined",
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
