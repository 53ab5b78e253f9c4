import type { Client, Schemas } from "../client/create-client.ts"
import { Fault } from "../std/fault.ts"
import type { SymbolIds } from "./order-input.ts"

/** What a token can come to, as far as the daemon tells it. */
export type Reach = {
  readonly whoami: Schemas["Whoami"]
  /** Of those that were named, the ones that a rule allows. */
  readonly symbols: SymbolIds
  readonly canPlace: boolean
  readonly canCancel: boolean
  readonly canCancelAll: boolean
}

/**
 * Asks the daemon what the token may do: who it is, and by checks that leave no record which operations and which of
 * `named` some rule is for.
 *
 * @throws {Fault} where it doesn't answer, or doesn't know the token.
 */
export async function findReach(client: Client, named: SymbolIds): Promise<Reach> {
  const whoami = await client.whoami()
  if (!whoami.ok) throw unreached(whoami)
  const symbols = new Map<string, number>()
  let canPlace = false
  for (const [name, symbolId] of named) {
    const order = { symbol_id: symbolId, is_buy: true, order_type: "limit" } as const
    const asked = { ...order, price: "1", quantity: "1" }
    const refused = await refusalOf(client.check("/v1/trade/orders", asked))
    if (!isCovered(refused)) continue
    canPlace = true
    if (!refused.isOfSymbol) symbols.set(name, symbolId)
  }
  const cancel = client.check("/v1/trade/orders/cancel", { order_id: "0" })
  const cancelAll = client.check("/v1/trade/orders/cancel-all", {})
  return {
    whoami: whoami.data,
    symbols,
    canPlace: canPlace && symbols.size > 0,
    canCancel: isCovered(await refusalOf(cancel)),
    canCancelAll: isCovered(await refusalOf(cancelAll)),
  }
}

type Refused = {
  readonly code: string
  readonly reason: string | undefined
  /** Every rule that is for the operation is for other symbols. */
  readonly isOfSymbol: boolean
}

async function refusalOf(asked: ReturnType<Client["check"]>): Promise<Refused> {
  const answer = await asked
  if (!answer.ok) throw unreached(answer)
  const { refusal, verdicts } = answer.data
  const whys = verdicts.map(({ reason }) => reason).filter((why) => !ofOthers.includes(why))
  const isOfSymbol = whys.length > 0 && whys.every((why) => why === "symbol_not_allowed")
  return { code: refusal?.code ?? "", reason: reasonOf(refusal), isOfSymbol }
}

function reasonOf(refusal: Schemas["CheckReport"]["refusal"]): string | undefined {
  return refusal?.code === "policy_denied" ? refusal.data.reason : undefined
}

/** What verdicts say of entries for other operations, and of what a check without its record lacks. */
const ofOthers: readonly (string | null)[] = ["endpoint_not_covered", "check_required"]

/** Whether a rule is for the operation, and the venue's way of signing it is known. */
function isCovered(refused: Refused): boolean {
  if (refused.code.endsWith("_undisclosed")) return false
  return refused.reason === undefined || !uncovered.includes(refused.reason)
}

const uncovered: readonly string[] = ["no_policy_applies", "no_rule_covers_endpoint"]

function unreached({ source, code }: { readonly source: string; readonly code: string }): Fault {
  return source === "none"
    ? new Fault("vault_unavailable", "The daemon doesn't answer; start it, or give its --url.")
    : new Fault("config_invalid", `The daemon refuses the token: ${code}.`)
}
