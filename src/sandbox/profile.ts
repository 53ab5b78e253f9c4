import { explorerWeight, readWeight } from "./answer-request.ts"
import { readPaths } from "./reads.ts"
import {
  actionTags,
  agentWithTargetType,
  createSubType,
  renewAgentType,
  revokeAgentType,
  transferType,
  withdrawType,
} from "./signing/typed-hash.ts"
import { errorCodes } from "./state/error-codes.ts"
import {
  defaultSandboxPort,
  marketSymbols,
  sandboxChainId,
  sandboxServiceChain,
  type MarketSymbol,
} from "./state/market.ts"

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
  return `# venue.sandbox.yaml: the local sandbox as a venue, to be loaded as venue.yaml. The interface shows none
# of what follows: it is all invented, good for the sandbox alone, and must not be copied into a profile
# of the real venue.
extends: builtin
base_url: ${url}

# Its own chain id and service_chain, so that nothing signed for the sandbox is good elsewhere.
domain: {name: Service, version: "1", chain_id: ${sandboxChainId}}
type_b: {service_chain: ${sandboxServiceChain}, signature_chain_ids: [${sandboxChainId}]}

${endpointsText}
${readsText}${sandboxPanic}
# Prices that the gate reads of a sandbox that was started with --moving.
#price_poll: {path: "${readPaths.ticker}?symbol_id={id}", symbol: /data/symbol_id, value: /data/mark_price, every: 5s}

# Without --moving prices stay as they are, so these are good for 30 days; a real reference price would be fresh.
${symbolsText(asOf)}
${restText}`
}

/** Writes the venue-paper.yaml with which paper is traded at the sandbox at `url`; its symbols are venue.yaml's. */
export function paperProfile(url: string): string {
  return `# venue-paper.yaml: where paper keys trade, beside venue.yaml. countersign sandbox --paper plays it.
extends: builtin
base_url: ${url}
domain: {name: Service, version: "1", chain_id: ${sandboxChainId}}
type_b: {service_chain: ${sandboxServiceChain}, signature_chain_ids: [${sandboxChainId}]}
${endpointsText}${readsText}`
}

/** What `countersign panic` sends there. */
export const sandboxPanic = `
# What countersign panic, and a heartbeat with then: panic, sends by every agent key: the sandbox cancels all orders.
panic:
  - {operation: cancelAll, body: '{}'}
`

const endpointsText = `endpoints:
  modifyOrder: {action_tag: ${actionTags.modifyOrder}, like: placeOrder, order_id: /order_id} # an order, and "order_id": "…"
  cancelOrder: {action_tag: ${actionTags.cancelOrder}, fields: [order_id]} # {"order_id": "…"}
  chaseOrder: {action_tag: ${actionTags.chaseOrder}} # {"order_id": "…"}
  placeBatch: {action_tag: ${actionTags.placeBatch}, items: /orders, item_like: placeOrder} # {"orders": [{…}]}
  modifyBatch: {action_tag: ${actionTags.modifyBatch}, items: /orders, item_like: placeOrder, order_id: /order_id}
  cancelBatch: {action_tag: ${actionTags.cancelBatch}, items: /order_ids, fields: [order_ids]} # {"order_ids": ["…"]}
  cancelAll: {action_tag: ${actionTags.cancelAll}, fields: [symbol_id]} # {} or {"symbol_id": 1}
  setPositionMode: {signing: A, action_tag: ${actionTags.setPositionMode}} # {"position_mode": "one_way" or "hedge"}
  setLeverage: {signing: A, action_tag: ${actionTags.setLeverage}} # {"symbol_id": 1, "leverage": 5}
  adjustIsolatedMargin: {signing: A, action_tag: ${actionTags.adjustIsolatedMargin}} # {"symbol_id": 1, "amount": "10", "is_add": true}
  revokeAgent:
    signing: B
    struct: "${revokeAgentType}"
  renewAgent:
    signing: B
    struct: "${renewAgentType}"
  createSub:
    signing: B
    struct: "${createSubType}"
  # What moves funds, even pretend ones, isn't signed before these lines lose their #.
  #transfer: {signing: B, struct: "${transferType}"}
  #withdraw: {signing: B, struct: "${withdrawType}"}

agent_message_with_target: "${agentWithTargetType}"

# The sandbox's code for a nonce that its signer has used. With this line the daemon takes it for proof
# that the first sending was accepted.
#codes: {duplicate_nonce: "${errorCodes.nonce_repeated}"}
`

const readsText = `# A read weighs ${readWeight}, one of the explorer ${explorerWeight}.
reads:
  market: [/v1/market/**]
  trade: [/v1/trade/**]
  account: [/v1/account/**]
  explorer: [/v1/explorer/**]
`

const restText = `# The daemon has no use for the rest of what is invented.
# States of an order: open, filled, cancelled.
# Reads:
${commented(Object.values(readPaths).map((path) => `GET ${path}`))}
# Error codes, all but ${errorCodes.address_budget} for the address budget:
${commented(Object.entries(errorCodes).map(([name, code]) => `${code} ${name}`))}
`

function commented(lines: readonly string[]): string {
  return lines.map((line) => `#   ${line}`).join("\n")
}

/** What it trades, as venue.yaml lists it. */
export function symbolsText(asOf: Date): string {
  return `symbols:\n${marketSymbols.map((symbol) => symbolText(symbol, asOf)).join("\n")}\n`
}

function symbolText({ id, name, market, quote, referencePrice }: MarketSymbol, asOf: Date): string {
  return `  - id: ${id}
    name: ${name}
    market: ${market}
    quote: ${quote}
    reference_price: {value: "${referencePrice}", as_of: ${asOf.toISOString()}, max_age: 30d}`
}
