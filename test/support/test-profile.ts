import type { StructType } from "../../src/venue/signing-hash.ts"
import type { Profile, SymbolEntry } from "../../src/venue/profile.ts"

/** Two perpetuals and a spot symbol, without reference prices of their own: tests give them as circumstances. */
const symbols: readonly SymbolEntry[] = [
  { id: 1, name: "BTC-PERP", market: "perp", quote: "USD", referencePrice: undefined },
  { id: 2, name: "ETH-PERP", market: "perp", quote: "USD", referencePrice: undefined },
  { id: 3, name: "BTC-USD", market: "spot", quote: "USD", referencePrice: undefined },
]

const noStruct: StructType = {
  name: "Agent",
  fields: [],
  typeString: "Agent()",
  typeHash: new Uint8Array(32),
}

/** A profile for what judges requests: symbols and defaults, no endpoints. */
export function testProfile(changes: Partial<Profile> = {}): Profile {
  return {
    baseUrl: undefined,
    domain: { name: "Service", version: "1", chainId: 84256n },
    network: `0x${"00".repeat(32)}`,
    typeB: { serviceChain: "Mainnet", signatureChainIds: [84256] },
    canonicalForm: { sort: "every_depth", escape: "minimal", nulls: "keep" },
    endpoints: new Map(),
    endpointByPath: new Map(),
    agentStruct: noStruct,
    agentStructWithTarget: {
      known: false,
      code: "target_layout_undisclosed",
      addLine: "agent_message_with_target: …",
    },
    symbols: symbolTable(symbols),
    tpslLegs: "independent",
    feeRate: { coefficient: 1n, scale: 3 },
    defaultMarketOrderType: undefined,
    panic: [],
    duplicateNonceCode: undefined,
    notProcessedCodes: [],
    reads: { market: [], trade: [], account: [], explorer: [] },
    pricePoll: undefined,
    accountPoll: undefined,
    ...changes,
  }
}

/** A table of the given symbols. */
export function symbolTable(entries: readonly SymbolEntry[]): Profile["symbols"] {
  return {
    byId: new Map(entries.map((entry) => [entry.id, entry])),
    byName: new Map(entries.map((entry) => [entry.name, entry])),
  }
}
