import type { BotResults } from "../../src/link/calls/methods.ts"
import type { Refusal } from "../../src/contract/refusal.ts"
import { callOf, limitOrder, ordersPath, outcomeOf, type TestVault } from "./open-test-vault.ts"

/** A request of a batch for the usual order, changed. */
export function inBatch(
  body: unknown = limitOrder(),
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { path: ordersPath, body, ...changes }
}

/** Asks for a batch of requests; text and bytes are sent as the whole body. */
export function askBatch(
  { bots }: Pick<TestVault, "bots">,
  token: string,
  requests: readonly unknown[] | string | Uint8Array,
): Promise<BotResults["signBatch"]> {
  const isWhole = typeof requests === "string" || requests instanceof Uint8Array
  const { body } = callOf(token, isWhole ? requests : { requests })
  return bots.signBatch({ token, body })
}

type BatchAnswer = Extract<BotResults["signBatch"], { readonly kind: "answer" }>

/** The results of a batch that was read. @throws when all of it was refused. */
export function resultsOf(answer: BotResults["signBatch"]): BatchAnswer["results"] {
  if (answer.kind === "answer") return answer.results
  throw new Error(`refused: ${answer.refusal.code}: ${answer.refusal.message}`)
}

/** `signed` or the code of its refusal, for each. */
export function outcomesOf(answer: BotResults["signBatch"]): readonly string[] {
  return resultsOf(answer).map(outcomeOf)
}

/** The refusal of a batch as a whole. @throws when it was read. */
export function refusalOf(answer: BotResults["signBatch"]): Refusal {
  if (answer.kind === "refused") return answer.refusal
  throw new Error("it was read")
}
