import { guardsOf, type Guard } from "./guard.ts"

const policy = "vault/policy"
const unit = `unit/${policy}`

/** What a rule asks besides its operations and matchers. */
const checks = [
  "unreadableOrders",
  "fullTpsl",
  "unreadableSize",
  "unreadablePrice",
  'bounded("minQuantity", minQuantity)',
  'bounded("maxQuantity", maxQuantity)',
  'bounded("maxSlippage", maxSlippage)',
  'bounded("priceBand", priceBand)',
  'bounded("maxNotional", maxNotional)',
  'bounded("maxExpiresInMs", maxExpiresIn)',
  "approval",
]

/** How a request is decided. */
export const decidingGuards: readonly Guard[] = [
  ...guardsOf(
    `${policy}/judge.ts`,
    [`${unit}/judge`, `${unit}/hold`, `${unit}/claims-of`, "unit/vault/policy/bounds/order-size"],
    [
      { find: "if (match === undefined) continue", replace: "continue", why: "no deny refuses" },
      {
        find: "if (stop === undefined) return ok(",
        replace: "return ok(",
        why: "no rule needs to allow",
      },
      {
        find: "stop.passedChecks > furthest.stop.passedChecks",
        replace: "stop.passedChecks < furthest.stop.passedChecks",
        why: "a refusal names a rule that wasn't nearest",
      },
      {
        find: "if (!claims.ok) return refusedBesides(claims.error, verdicts)",
        replace: 'if (!claims.ok) return { kind: "allow", rule: "", claims: [], sizes, verdicts }',
        why: "a limit that can't tell lets it pass",
      },
      {
        find: "if (request.isKeyed) return undefined",
        replace: "return undefined",
        why: "require_idempotency asks for nothing",
      },
      {
        find: "return hold === undefined ?",
        replace: "return hold !== undefined || true ?",
        why: "no hold holds",
      },
      {
        find: "compareDecimals(band, widest) > 0",
        replace: "compareDecimals(band, widest) < 0",
        why: "limits size by the narrowest band",
      },
      {
        find: "isWider && tryRule(rule, subject) === undefined",
        replace: "isWider",
        why: "a rule that doesn't allow sizes",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/try-entry.ts",
    [
      `${unit}/judge`,
      "unit/vault/policy/bounds/max-quantity",
      "unit/vault/policy/bounds/max-notional",
      "unit/vault/policy/match/matchers",
      "properties/policy-agrees",
    ],
    [
      {
        find: "if (operations.has(request.operation)) return undefined",
        replace: "return undefined",
        why: "a rule allows operations that it doesn't cover",
      },
      {
        find: "if (orders !== undefined || !usesOrderMatchers(matchers)) return undefined",
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
        find: "for (const on of judgedOf(subject)) {",
        replace: "for (const on of judgedOf(subject).slice(0, 1)) {",
        why: "legs and batch items aren't judged",
      },
      ...checks.map((check) => ({
        find: `  ${check},\n`,
        replace: "",
        why: `${check} isn't asked`,
      })),
    ],
  ),
  ...guardsOf(
    "vault/policy/try-entry.ts",
    ["unit/vault/policy/try-rule"],
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
    "venue/payload/parse-payload.ts",
    ["unit/venue/payload/lane", "threats/modify-passed-off-as-a-way-out"],
    [
      {
        find: 'payload.kind !== "orders" || payload.orders.length === 0) return "open"',
        replace: 'payload.kind !== "orders") return "open"',
        why: "no order reduces risk",
      },
      {
        find: "(heedsFlags.has(endpoint.id) || endpoint.appliesFlags) &&",
        replace: "",
        why: "a modify opens a position under a freeze",
      },
      {
        find: "|| endpoint.appliesFlags",
        replace: "",
        why: "the profile's word on modifies counts for nothing",
      },
      {
        find: '(algoOrderType === undefined || algoOrderType === "conditional") &&',
        replace: "",
        why: "an order that is called a tpsl counts as a way out",
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
  ...guardsOf(
    "venue/profile/profile-file.ts",
    ["threats/uncounted-batch-past-a-limit"],
    [
      {
        find: "isBatch(id) && id !==",
        replace: "id !== id && id !==",
        why: "a batch that nobody counts is signed",
      },
    ],
  ),
  ...guardsOf(
    "venue/payload/parse-payload.ts",
    ["threats/uncounted-batch-past-a-limit"],
    [
      {
        find: "isBatch(id) ? Math.ceil(JSON.stringify(body).length / 2) : 1",
        replace: "1",
        why: "a batch of cancels that nobody counts weighs as one",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/file/policy-file.ts",
    ["unit/vault/policy/file/unlisted-groups"],
    [
      {
        find: "pointer.text === text && texts !== undefined",
        replace: "pointer.text === text",
        why: "a pattern of assets gives each of them a cap of its own",
      },
      {
        find: ".some((name) => other.includes(name))",
        replace: ".every((name) => other.includes(name))",
        why: "a rule for one client more may take any asset",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/try-entry.ts",
    ["unit/vault/policy/match-entry"],
    [
      {
        find: "amount === undefined ||",
        replace: "amount !== undefined &&",
        why: "an order that can't be sized passes a hold for large ones",
      },
      {
        find: "compareDecimals(amount, bound) > 0",
        replace: "compareDecimals(amount, bound) >= 0",
        why: "an order of just the size is held",
      },
      {
        find: 'if (subject.request.operation === "chaseOrder") return undefined',
        replace: "",
        why: "a chase is taken for the order that it moves",
      },
    ],
  ),
  ...guardsOf(
    "venue/payload/parse-payload.ts",
    ["unit/venue/payload/cancel-body"],
    [
      {
        find: "ofOrders.has(foldName(name))",
        replace: "false as boolean",
        why: "an order is signed as a cancel",
      },
      {
        find: "!known.has(name)",
        replace: "false as boolean",
        why: "a closed list of a cancel's fields is open",
      },
      {
        find: "length > maxOpenCancelBytes",
        replace: "length > 16 * maxOpenCancelBytes",
        why: "any long body is signed as a cancel",
      },
    ],
  ),
]
