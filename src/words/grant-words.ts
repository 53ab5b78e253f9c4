// Grants in words, for a person: the command line and the console say the same.

import type { GrantView, SymbolsView } from "../contract/bot-views.ts"
import type { JsonObject } from "../venue/json.ts"
import { orderWords } from "./order-words.ts"

/** `buy 0.5 BTC-PERP limit in 2 more requests together, held by mm/large`: what a grant lets through yet. */
export function grantWords(grant: GrantView, symbols: SymbolsView): string {
  const like = JSON.parse(grant.like) as JsonObject // our own canonical JSON
  const { quantity_left: quantity, times_left: times } = grant
  const said = orderWords({ ...like, quantity }, symbols)
  const { words, unsaid } = said ?? { words: `orders of ${quantity}`, unsaid: 0 }
  return [
    `${words} in ${times === 1 ? "one more request" : `${times} more requests together`}`,
    ...(unsaid === 0 ? [] : [`${unsaid} ${unsaid === 1 ? "field" : "fields"} not shown`]),
    ...(grant.target === null ? [] : [`for the account ${grant.target}`]),
    `held by ${grant.policy}/${grant.rule}`,
  ].join(", ")
}

/** Why a grant ended: `its time is over`. */
export function endWords(ended: string): string {
  return endings[ended] ?? ended
}

const endings: Readonly<Record<string, string>> = {
  time: "its time is over",
  times: "it was used as often as it may be",
  quantity: "its quantity is used up",
  grant_ended: "a person ended it",
  set_activated: "other files came into force",
  client_token_set: "the client got another token",
  client_revoked: "the client was revoked",
  agent_revoked: "the key was revoked",
  key_removed: "the key was removed",
  key_replaced: "the key was replaced",
  frozen: "the client, the key or everything was frozen",
  restore_accepted: "the ledger was restored",
}
