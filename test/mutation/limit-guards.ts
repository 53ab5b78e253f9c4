import { guardsOf, type Guard } from "./guard.ts"

const policy = "vault/policy"

/** What limits count. */
export const limitGuards: readonly Guard[] = [
  ...guardsOf(
    `${policy}/claims-of.ts`,
    ["properties/policy-limits"],
    [
      {
        find: "if (!appliesTo(policy, client, key.name)) continue",
        replace: "",
        why: "a limit counts for others",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/claims-of.ts`,
    [`unit/${policy}/claims-of`],
    [
      {
        find: 'mode === "enforce")',
        replace: 'mode === "observe")',
        why: "a limit that can't tell refuses nothing",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/claims-of.ts`,
    [`unit/${policy}/claims-of`],
    [
      {
        find: 'if (request.lane === "cancel") return namesEndpoints',
        replace: 'if (request.lane === "cancel") return true',
        why: "a spent limit stops a cancel",
      },
      { find: '=== (lane === "reduce")', replace: "=== true", why: "only what reduces is counted" },
      {
        find: "return maxDecimal(limit.max, ...raised)",
        replace: "return raised[0] ?? limit.max",
        why: "a raise lowers",
      },
      {
        find: "JSON.stringify([countedFor(limit, request), group])",
        replace: 'JSON.stringify(["", group])',
        why: "all share one maximum",
      },
      {
        find: "JSON.stringify([countedFor(limit, request), group])",
        replace: 'JSON.stringify([countedFor(limit, request), ""])',
        why: "amounts of two assets are added",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/limit-amounts.ts`,
    [`unit/${policy}/claims-of`],
    [
      {
        find: "if (!orderMakingOperations.has(operation)) return ok([])",
        replace: "return ok([])",
        why: "no order is summed",
      },
      {
        find: 'match.orders === undefined || operation === "chaseOrder"',
        replace: "match.orders === undefined",
        why: "a chase is summed as its body says",
      },
      {
        find: "if (symbol === undefined || amount === null) return err(unsized(matched, limit, subject))",
        replace: "if (symbol === undefined || amount === null) return ok([])",
        why: "what has no size counts nothing",
      },
      {
        find: 'if (!unit.ok || unit.value === "quote") {',
        replace: "if (!unit.ok) {",
        why: "quote units are summed as base units",
      },
      { find: "(part === 0 || isLegCounted)", replace: "(part === 0)", why: "legs aren't counted" },
      {
        find: 'if (amount === undefined) return err(unreadableField(pointer, "an amount"))',
        replace: "if (amount === undefined) return ok([])",
        why: "a field that can't be read counts nothing",
      },
      {
        find: "if (!Number.isSafeInteger(count))",
        replace: "if (false as boolean)",
        why: "what can't be counted counts as it comes",
      },
    ],
  ),
  ...guardsOf(
    "vault/operator/limit-methods.ts",
    ["unit/vault/operator/limit-methods"],
    [
      {
        find: "limit: fullName })",
        replace: "limit: name })",
        why: "a raise is for a limit that comes later, too",
      },
      {
        find: 'question !== "" && agreed !== question',
        replace: 'question !== "" && agreed === undefined',
        why: "who agreed to one raise has agreed to another",
      },
      {
        find: "wholeDecimal(maxTimes))) > 0",
        replace: "wholeDecimal(maxTimes))) >= 0",
        why: "ten times as much is asked about",
      },
      {
        find: "forMs > longMs",
        replace: "forMs >= longMs",
        why: "seven days are asked about",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/file/limit-schema.ts",
    ["unit/vault/policy/file/limit-schema"],
    [
      {
        find: '(per === "key" || per === "account")',
        replace: 'per === "key"',
        why: "a cap for good begins anew with the successor of an agent",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/claims-of.ts",
    ["unit/vault/policy/limit-definition"],
    [
      {
        find: '    window: window.kind === "rolling" ? ["rolling", window.lengthMs] : ["day", window.zone],\n',
        replace: "",
        why: "limits of two windows share a meter",
      },
      { find: "    per: limit.per,\n", replace: "", why: "limits for two share a meter" },
      {
        find: "...Object.fromEntries<unknown>(matchers)",
        replace: "",
        why: "limits with two matchers share a meter",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/where.ts",
    ["unit/vault/policy/limit-definition"],
    [
      {
        find: "JSON.stringify(conditionForm(condition))",
        replace: '""',
        why: "limits on two conditions share a meter",
      },
    ],
  ),
  ...guardsOf(
    `${policy}/claims-of.ts`,
    ["properties/sent-twice", "unit/vault/request/sent-twice"],
    [
      {
        find: 'if (lane === "cancel") return []',
        replace: "",
        why: "a cancel may not come again",
      },
      {
        find: 'mode: isKeyed ? "observe" : "enforce"',
        replace: 'mode: "observe"',
        why: "the same body may come again",
      },
      {
        find: "[client, key.name, operation,",
        replace: "[operation,",
        why: "one bot's order refuses another's",
      },
      {
        find: "accountOf(subject.request)",
        replace: "subject.request.target",
        why: "an order comes again once its signer's account is named",
      },
      {
        find: 'isNew && name === "client_order_id"',
        replace: "false",
        why: "a new client_order_id makes it another order",
      },
      {
        find: 'max: maxRemembered, mode: "enforce"',
        replace: 'max: maxRemembered, mode: "observe"',
        why: "a client fills the memory",
      },
    ],
  ),
  ...guardsOf(
    "vault/request/recount.ts",
    ["unit/vault/request/sent-twice"],
    [
      {
        find: "...policies.map(({ repeatWithin }) => repeatWithin?.ms ?? 0),",
        replace: "",
        why: "a restart forgets what was signed a moment ago",
      },
    ],
  ),
]
