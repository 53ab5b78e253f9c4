import { z } from "zod"

import { operationIds, type OperationId, type SymbolTable } from "../../venue/profile.ts"
import { defaultMaxValidDays } from "./approve-agent-rule.ts"
import { contradictionsOf } from "./contradictions.ts"
import { usesOrderMatchers } from "./order-matchers.ts"
import { orderMakingOperations } from "./order-making.ts"
import type { Entry, OrderMatchers, Policy, Rule } from "./policy.ts"
import {
  addressText,
  listOf,
  listOfWords,
  percentage,
  policyName,
  sizeBound,
  symbolRef,
  wholeDays,
  yesOrNo,
} from "./policy-scalars.ts"

/** A policy file's content, before its entries know their lines. */
export type WrittenPolicy = Omit<Policy, "file" | "rules" | "deny"> & {
  readonly rules: readonly Omit<Rule, "line">[]
  readonly deny: readonly Omit<Entry, "line">[]
}

/** The schema of a policy file. Symbol names are looked up while reading, so that a wrong one is told at its line. */
export function policySchema(symbols: SymbolTable): z.ZodType<WrittenPolicy> {
  return z
    .strictObject(
      {
        policy: policyName,
        applies_to: appliesTo.optional(),
        rules: listOf(ruleSchema(symbols)).optional(),
        deny: listOf(denySchema(symbols)).optional(),
      },
      { error: objectError("a policy: `policy: <name>` and its rules") },
    )
    .transform((written) => ({
      name: written.policy,
      appliesTo: { clients: written.applies_to?.clients, keys: written.applies_to?.keys },
      rules: written.rules ?? [],
      deny: written.deny ?? [],
    }))
}

const appliesTo = z
  .strictObject(
    { clients: listOf(policyName).optional(), keys: listOf(policyName).optional() },
    { error: objectError("clients, keys or both") },
  )
  .refine(
    ({ clients, keys }) => clients !== undefined || keys !== undefined,
    "must name clients or keys; leave applies_to out to mean everyone",
  )

function matcherShape(symbols: SymbolTable) {
  return {
    name: policyName,
    endpoints: listOfWords(operationIds).optional(),
    symbols: listOf(symbolRef(symbols)).optional(),
    sides: listOfWords(["buy", "sell"]).optional(),
    order_types: listOfWords(["limit", "market"]).optional(),
    time_in_force: listOfWords(["gtc", "fok", "ioc"]).optional(),
    require_flags: listOfWords(["post_only", "reduce_only"]).optional(),
    forbid_flags: listOfWords(["post_only", "reduce_only"]).optional(),
  }
}

function boundShape(symbols: SymbolTable) {
  return {
    max_quantity: sizeBound(symbols).optional(),
    max_notional: sizeBound(symbols).optional(),
    price_match_band: percentage.optional(),
    allow_full_tpsl: yesOrNo.optional(),
    agent_addresses: z.preprocess(heldAsDefault, listOf(addressText).optional()),
    authorized_addresses: listOf(addressText).optional(),
    max_valid_days: wholeDays.optional(),
  }
}

function ruleSchema(symbols: SymbolTable): z.ZodType<Omit<Rule, "line">> {
  return z
    .strictObject(
      { ...matcherShape(symbols), ...boundShape(symbols) },
      { error: objectError("a rule: a name, endpoints, matchers and bounds") },
    )
    .transform((written, context) => {
      const matchers = matchersOf(written)
      refuseContradictions(matchers, context)
      const isBounded = written.max_quantity !== undefined || written.max_notional !== undefined
      const speaksOfOrders = usesOrderMatchers(matchers) || isBounded
      if (written.endpoints === undefined && !speaksOfOrders) {
        const message = "this rule would allow everything; name its endpoints"
        context.issues.push({ code: "custom", input: written, message })
      }
      return {
        name: written.name,
        operations: operationsOf(written.endpoints, speaksOfOrders),
        matchers,
        ...boundsOf(written),
      }
    })
}

function denySchema(symbols: SymbolTable): z.ZodType<Omit<Entry, "line">> {
  return z
    .strictObject(
      { ...onlyInRules(Object.keys(boundShape(symbols))), ...matcherShape(symbols) },
      { error: objectError("a deny entry: a name, endpoints and matchers") },
    )
    .transform((written, context) => {
      const matchers = matchersOf(written)
      refuseContradictions(matchers, context)
      const operations = operationsOf(written.endpoints, usesOrderMatchers(matchers))
      return { name: written.name, operations, matchers }
    })
}

/** A bound in `deny` could mean "over it" or "within it"; neither is guessed. */
function onlyInRules(names: readonly string[]): Record<string, z.ZodType> {
  const refused = (name: string): z.ZodType =>
    z.custom(() => false, `deny takes matchers only; write ${name} in a rule`).optional()
  return Object.fromEntries(names.map((name) => [name, refused(name)]))
}

type WrittenMatchers = z.infer<z.ZodObject<ReturnType<typeof matcherShape>>>

function matchersOf(written: WrittenMatchers): OrderMatchers {
  return {
    symbols: written.symbols,
    sides: written.sides,
    orderTypes: written.order_types,
    timeInForce: written.time_in_force,
    requireFlags: written.require_flags,
    forbidFlags: written.forbid_flags,
  }
}

type WrittenBounds = z.infer<z.ZodObject<ReturnType<typeof boundShape>>>

function boundsOf(written: WrittenBounds): Omit<Rule, keyof Entry> {
  return {
    maxQuantity: written.max_quantity,
    maxNotional: written.max_notional,
    priceMatchBand: written.price_match_band,
    allowFullTpsl: written.allow_full_tpsl ?? false,
    agentAddresses: written.agent_addresses ?? "held",
    authorizedAddresses: written.authorized_addresses ?? [],
    maxValidDays: written.max_valid_days ?? defaultMaxValidDays,
  }
}

/** `held` says what holds without the key too. */
function heldAsDefault(input: unknown): unknown {
  return input === "held" ? undefined : input
}

function operationsOf(
  endpoints: readonly OperationId[] | undefined,
  speaksOfOrders: boolean,
): ReadonlySet<OperationId> {
  if (endpoints !== undefined) return new Set(endpoints)
  return speaksOfOrders ? orderMakingOperations : new Set(operationIds)
}

function refuseContradictions(matchers: OrderMatchers, context: z.RefinementCtx): void {
  for (const { key, message } of contradictionsOf(matchers)) {
    context.issues.push({ code: "custom", input: matchers, message, path: [key] })
  }
}

function objectError(expected: string) {
  return (issue: { readonly code?: string }): string | undefined =>
    issue.code === "invalid_type" ? `must be ${expected}` : undefined
}
