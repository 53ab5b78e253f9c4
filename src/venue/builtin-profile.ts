// The write endpoints as the venue's interface discloses them. For what it doesn't disclose, this file has the line
// that an operator adds to venue.yaml.

import { knownStruct, domainSeparator } from "./signing-hash.ts"
import type { Disclosed, Endpoint, OperationId, Signing, Profile, SymbolEntry } from "./profile.ts"
import { toHex } from "../std/bytes.ts"
import { deepFreeze } from "./json.ts"

/** Type A's message without `target_address`. */
export const agentStruct = knownStruct(
  "Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
)

/** Type B's message for approveAgent. */
export const approveAgentStruct = knownStruct(
  "ApproveAgent(address signerAddress,string serviceChain,address agentAddress,address authorizedAddress,uint32 validDays,string label,uint64 nonce,uint64 expiresAfter)",
)

/** placeOrder's action tag, the only one disclosed. */
export const placeOrderTag = 7

const perItem: Endpoint["weight"] = { base: 1, perTenItems: 1 }
const flat = (base: number): Endpoint["weight"] => ({ base, perTenItems: 0 })
/** The defaults of an endpoint's body. */
const nothingSaid: Pick<Endpoint, "shape" | "extraFields" | "fields" | "appliesFlags"> = {
  shape: { kind: "opaque" },
  extraFields: [],
  fields: undefined,
  appliesFlags: false,
}

/** The lines of venue.yaml that say where a batch has its orders or cancels. */
const itemSettings: Partial<Record<OperationId, string>> = {
  placeBatch: 'items: "/…", item_like: placeOrder',
  modifyBatch: 'items: "/…", item_like: placeOrder, order_id: "/…"',
  cancelBatch: 'items: "/…"',
}

/** All write endpoints of the interface. */
export const builtinEndpoints: readonly Endpoint[] = [
  {
    ...trade("placeOrder", "orders", perItem),
    signing: { known: true, value: { type: "A", tag: placeOrderTag } },
    shape: { kind: "order" },
  },
  trade("modifyOrder", "orders/modify", perItem),
  trade("cancelOrder", "orders/cancel", perItem),
  trade("chaseOrder", "orders/chase", perItem),
  trade("placeBatch", "orders/batch", perItem),
  trade("modifyBatch", "orders/batch/modify", perItem),
  trade("cancelBatch", "orders/batch/cancel", perItem),
  trade("cancelAll", "orders/cancel-all", flat(5)),
  account("setPositionMode", "position-mode", flat(40)),
  account("setLeverage", "leverage", flat(2)),
  account("adjustIsolatedMargin", "isolated-margin", flat(2)),
  {
    ...account("approveAgent", "approve-agent", flat(40)),
    signing: { known: true, value: { type: "B", struct: approveAgentStruct } },
    shape: { kind: "approve_agent" },
  },
  account("revokeAgent", "revoke-agent", flat(40)),
  account("renewAgent", "renew-agent", flat(40)),
  account("createSub", "create-sub", flat(40)),
  account("transfer", "transfer", flat(40)),
  account("withdraw", "withdraw", flat(40)),
]

/** Says that an operation is Type A and its tag isn't disclosed. */
export function undisclosedTag(id: OperationId, area: Endpoint["area"]): Disclosed<Signing> {
  const signing = area === "trade" ? "" : "signing: A, "
  const items = itemSettings[id]
  const layout = items === undefined ? "" : `, ${items}`
  return {
    known: false,
    code: "action_tag_undisclosed",
    addLine: `endpoints: {${id}: {${signing}action_tag: <0-255>${layout}}}`,
  }
}

/** Says that a batch's tag is known, but not where its orders are, so nobody can count them. */
export function undisclosedItems(id: OperationId, tag: number): Disclosed<Signing> {
  const addLine = `endpoints: {${id}: {action_tag: ${tag}, ${itemSettings[id] ?? ""}}}`
  return { known: false, code: "items_undisclosed", addLine }
}

/** Whether an operation takes several items in one request. */
export function isBatch(id: OperationId): boolean {
  return itemSettings[id] !== undefined
}

/** Says that an operation's struct isn't disclosed: it is Type B, or nobody knows its type. */
export function undisclosedStruct(
  id: OperationId,
  code: "struct_undisclosed" | "signing_type_undisclosed",
): Disclosed<Signing> {
  return { known: false, code, addLine: `endpoints: {${id}: {signing: B, struct: "…"}}` }
}

/** Joins lines to add to one file, where a key may stand only once. */
export function joinedLines(lines: readonly string[]): readonly string[] {
  const ofEndpoint = /^endpoints: \{(.*)\}$/
  const entries = lines.flatMap((line) => ofEndpoint.exec(line)?.[1] ?? [])
  const others = new Set(lines.filter((line) => !ofEndpoint.test(line)))
  return entries.length === 0 ? [...others] : [...others, `endpoints: {${entries.join(", ")}}`]
}

/** Trade endpoints are Type A by the interface. */
function trade(id: OperationId, path: string, weight: Endpoint["weight"]): Endpoint {
  const signing = undisclosedTag(id, "trade")
  return { id, path: `/v1/trade/${path}`, area: "trade", weight, signing, ...nothingSaid }
}

function account(id: OperationId, path: string, weight: Endpoint["weight"]): Endpoint {
  const signing = undisclosedStruct(id, "signing_type_undisclosed")
  return { id, path: `/v1/account/${path}`, area: "account", weight, signing, ...nothingSaid }
}

/** The parts of a profile from which the rest is computed. */
type ProfileParts = Omit<
  Profile,
  "network" | "agentStruct" | "endpoints" | "endpointByPath" | "symbols"
> & { readonly endpoints: readonly Endpoint[]; readonly symbols: readonly SymbolEntry[] }

/** What the interface discloses about its main network. Where it leaves a choice, our reading. */
export const builtinParts: ProfileParts = {
  baseUrl: undefined,
  domain: { name: "Service", version: "1", chainId: 84256n },
  typeB: { serviceChain: "Mainnet", signatureChainIds: [84256] },
  canonicalForm: { sort: "every_depth", escape: "minimal", nulls: "keep" },
  endpoints: builtinEndpoints,
  agentStructWithTarget: {
    known: false,
    code: "target_layout_undisclosed",
    addLine: 'agent_message_with_target: "Agent(…)"',
  },
  symbols: [],
  tpslLegs: "independent",
  feeRate: { coefficient: 1n, scale: 3 }, // the interface says nothing of fees
  defaultMarketOrderType: undefined,
  panic: [],
  duplicateNonceCode: undefined,
  notProcessedCodes: [],
  reads: { market: [], trade: [], account: [], explorer: [] },
  pricePoll: undefined,
  accountPoll: undefined,
}

/** Makes a frozen profile with its look-up tables. */
export function buildProfile(parts: ProfileParts): Profile {
  const { endpoints, symbols } = parts
  return deepFreeze({
    ...parts,
    network: toHex(domainSeparator(parts.domain)),
    agentStruct,
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    endpointByPath: new Map(endpoints.map((endpoint) => [endpoint.path, endpoint])),
    symbols: {
      byId: new Map(symbols.map((symbol) => [symbol.id, symbol])),
      byName: new Map(symbols.map((symbol) => [symbol.name, symbol])),
    },
  })
}

/** The profile of an installation whose venue.yaml says nothing but `extends: builtin`. */
export const builtinProfile: Profile = buildProfile(builtinParts)
