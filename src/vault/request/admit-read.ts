import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { readGroupOf, readWeights, type ReadGroup } from "../../venue/read-paths.ts"
import { type ActiveSet, viewOf } from "../active/active-set.ts"
import { budgetExhausted, type Spending } from "../budgets/budget.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { Client } from "../ledger/records/bindings.ts"
import { mayRead } from "../policy/judge.ts"
import { nowhere } from "../policy/terms.ts"
import { type TokenContext, identify, keyNotAllowed, ownKeyNamed } from "./authorize.ts"
import { policyDenied, recordRefusal, refuse } from "./refuse.ts"
import { termsOf } from "./spending.ts"

type ReadContext = TokenContext & { readonly ledger: Pick<Ledger, "budgets" | "note"> }

/**
 * Says whether a client may read a path of the venue now, and takes what that weighs of the IP budget. A read
 * moves nothing, so no freeze and no lock stops it.
 */
export function admitRead(call: BotParams["read"], vault: ReadContext): BotResults["read"] {
  const client = identify(call.token, vault)
  if (!client.ok) return refuse(client.error, null)
  const set = viewOf(client.value.keys[0], vault.active())
  const nowMs = vault.now()
  const group = judgeRead(call, client.value, set)
  if (!group.ok) {
    // Without its path: what is written to the same path is another operation.
    const refused = { client: client.value, call: { key: call.key }, set, nowMs }
    return recordRefusal(group.error, { ...refused, ledger: vault.ledger })
  }
  const { budgets } = vault.ledger
  const spending = spendingOfRead(readWeights[group.value], client.value.name, set)
  const short = budgets.shortage(spending)
  // Not recorded: nothing was to change, and a stream of pages asks again and again until there is room.
  if (short !== undefined) return refuse(budgetExhausted(short, nowMs), null)
  budgets.count(spending)
  const weight = spending.terms.ip === undefined ? 0 : spending.ipWeight
  return { kind: "answer", weight, paper: set.profile.isPaper }
}

/**
 * Takes the gate's word that the venue called the IP budget spent: it has counted more than was counted here. A
 * gate that lies about it can only hold off what doesn't reduce risk.
 */
export function readBudgetSpent(
  { token }: BotParams["readBudgetSpent"],
  vault: ReadContext,
): BotResults["readBudgetSpent"] {
  const client = identify(token, vault)
  if (!client.ok) return refuse(client.error, null)
  const { config } = viewOf(client.value.keys[0], vault.active())
  if (config.budgets.isOn.ip) vault.ledger.budgets.fill("ip", undefined)
  return { kind: "answer" }
}

function judgeRead(
  { path, key: named }: BotParams["read"],
  client: Client,
  set: ActiveSet,
): Result<ReadGroup, Refusal> {
  const key = named === undefined ? undefined : ownKeyNamed(named, client)
  if (named !== undefined && key === undefined) return err(keyNotAllowed(client.name, named))
  if (!mayRead(set.policies, { client: client.name, key }, path)) return err(readNotAllowed(path))
  const group = readGroupOf(path, set.profile.reads)
  return group === undefined ? err(groupUndisclosed(path)) : ok(group)
}

/** What a read spends that weighs `ipWeight`. */
export function spendingOfRead(ipWeight: number, client: string, set: ActiveSet): Spending {
  return {
    client,
    address: undefined,
    addressWeight: 0,
    ipWeight,
    lane: "open",
    terms: { address: undefined, ip: termsOf("ip", undefined, set) },
  }
}

function readNotAllowed(path: string): Refusal {
  const asked = `GET ${path}`
  return policyDenied({ ...nowhere, reason: "read_not_allowed", asked, allowed: null })
}

function groupUndisclosed(path: string): Refusal {
  const addLine = `reads: {<market, trade, account or explorer>: ["${path}"]}`
  return {
    code: "read_group_undisclosed",
    message: `The venue's interface doesn't tell which group this read is of, so its weight isn't known; add to venue.yaml, from the venue's own documentation: ${addLine}`,
    data: { path, add_line: addLine },
  }
}
