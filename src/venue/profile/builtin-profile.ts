import { toHex } from "../../std/bytes.ts"
import { agentStruct, builtinEndpoints } from "../endpoints.ts"
import { deepFreeze } from "../json.ts"
import { domainSeparator } from "../signing-hash.ts"
import type { Endpoint, Profile, SymbolEntry } from "../profile.ts"

/** The parts of a profile from which the rest is computed. */
type ProfileParts = Pick<
  Profile,
  | "baseUrl"
  | "domain"
  | "typeB"
  | "canonicalForm"
  | "agentStructWithTarget"
  | "tpslLegs"
  | "defaultMarketOrderType"
  | "panic"
  | "duplicateNonceCode"
  | "notProcessedCodes"
  | "reads"
  | "pricePoll"
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
  defaultMarketOrderType: undefined,
  panic: [],
  duplicateNonceCode: undefined,
  notProcessedCodes: [],
  reads: { market: [], trade: [], account: [], explorer: [] },
  pricePoll: undefined,
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
