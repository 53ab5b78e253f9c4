import type * as z from "zod"

import { operationIds, type OperationId, type SymbolTable } from "../../../venue/profile.ts"
import { allMatchers, mapAsked, usesOrderMatchers, type Matchers } from "../match/matchers.ts"
import { described, required, tell, listOfWords, policyName } from "../values/scalars.ts"
import { orderMakingOperations } from "../match/judged-request.ts"

/** The keys that entries of every list have. */
export function matcherShape(symbols: SymbolTable) {
  const shape: Record<string, z.ZodType> = Object.fromEntries(
    allMatchers.map(([, matcher]) => [
      matcher.key,
      described(matcher.schema(symbols), matcher.meaning, matcher.example),
    ]),
  )
  return { ...entryShape, ...shape }
}

const entryShape = {
  name: required(
    policyName,
    "The entry's name in refusals, records and commands, unique in its file.",
    "quote",
  ),
  endpoints: described(listOfWords(operationIds), "The operations that the entry covers.", [
    "placeOrder",
    "placeBatch",
  ]),
}

/** The matchers of an entry. Reports those that no request can meet together. */
export function matchersOf(
  written: Readonly<Record<string, unknown>>,
  context: z.RefinementCtx,
): Matchers {
  const asked = Object.fromEntries(
    allMatchers.map(([name, { key }]) => [name, written[key]]),
  ) as Matchers // each value is what its matcher's own schema made of it
  mapAsked(asked, ({ key, contradictions = [] }, value) => {
    for (const contradiction of contradictions) {
      if (contradiction.isIn(value, asked)) tell(context, contradiction.message, key)
    }
  })
  return asked
}

/** For each key of an entry that is about certain operations only: these operations. */
export type Speech = readonly ReadonlySet<OperationId>[]

/** The operations that the matchers and the other keys of an entry are about. */
export function speechOf(asked: Matchers, others: { readonly speakOfOrders: boolean }): Speech {
  const ofOrders = usesOrderMatchers(asked) || others.speakOfOrders ? [orderMakingOperations] : []
  const ofMatchers = mapAsked(asked, ({ speaksOf }) => speaksOf)
  return [...ofOrders, ...ofMatchers.filter((each) => each !== undefined)]
}

/** What an entry covers: its endpoints, or what its other keys are about, or everything. */
export function operationsOf(
  endpoints: readonly OperationId[] | undefined,
  speech: Speech,
  context: z.RefinementCtx,
): ReadonlySet<OperationId> {
  if (endpoints !== undefined) return new Set(endpoints)
  const [first = new Set(operationIds), ...others] = speech
  const common = others.reduce((left, other) => left.intersection(other), first)
  if (common.size === 0) {
    tell(
      context,
      "no request matches: its keys speak of different operations, as label and symbols do",
    )
  }
  return common
}
