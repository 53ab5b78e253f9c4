import { actionTags } from "./action-tags.ts"
import {
  defaultSandboxPort,
  marketSymbols,
  sandboxChainId,
  sandboxServiceChain,
  type MarketSymbol,
} from "./market.ts"
import { agentWithTargetType, renewAgentType, revokeAgentType } from "./typed-hash.ts"

/** Where the sandbox listens unless told otherwise. */
export const sandboxUrl = `http://127.0.0.1:${defaultSandboxPort}`

/** Writes the venue.yaml with which the daemon takes the sandbox at `url` for its venue. `asOf` dates its prices. */
export function sandboxProfile({
  url,
  asOf,
}: {
  readonly url: string
  readonly asOf: Date
}): string {
  const symbols = marketSymbols.map((symbol) => symbolText(symbol, asOf)).join("\n")
  return `# The local sandbox as a venue. The interface shows none of what follows: it is all invented, good
# for the sandbox alone, and must not be copied into a profile of the real venue.
extends: builtin
base_url: ${url}

# Its own chain id and service_chain, so that nothing signed for the sandbox is good elsewhere.
domain: {name: Service, version: "1", chain_id: ${sandboxChainId}}
type_b: {service_chain: ${sandboxServiceChain}, signature_chain_ids: [${sandboxChainId}]}

endpoints:
  # The sandbox plays these.
  cancelOrder: {action_tag: ${actionTags.cancelOrder}} # {"order_id": "…"}
  cancelBatch: {action_tag: ${actionTags.cancelBatch}, items: /order_ids} # {"order_ids": ["…"]}
  cancelAll: {action_tag: ${actionTags.cancelAll}} # {} or {"symbol_id": 1}
  revokeAgent:
    signing: B
    struct: "${revokeAgentType}"
  renewAgent:
    signing: B
    struct: "${renewAgentType}"
  # These can be signed, but the sandbox answers that it doesn't play them.
  modifyOrder: {action_tag: ${actionTags.modifyOrder}, like: placeOrder, order_id: /order_id}
  chaseOrder: {action_tag: ${actionTags.chaseOrder}}
  placeBatch: {action_tag: ${actionTags.placeBatch}, items: /orders, item_like: placeOrder}
  modifyBatch: {action_tag: ${actionTags.modifyBatch}, items: /orders, item_like: placeOrder, order_id: /order_id}

agent_message_with_target: "${agentWithTargetType}"

# These prices never move, so they are good for 30 days; a real reference price would be fresh.
symbols:
${symbols}
`
}

function symbolText({ id, name, market, quote, referencePrice }: MarketSymbol, asOf: Date): string {
  return `  - id: ${id}
    name: ${name}
    market: ${market}
    quote: ${quote}
    reference_price: {value: "${referencePrice}", as_of: ${asOf.toISOString()}, max_age: 30d}`
}
