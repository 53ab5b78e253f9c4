/** The network the sandbox plays: its own chain id, so that nothing signed for it is good elsewhere. Invented. */
export const sandboxChainId = 842_569_901

/** The `service_chain` of Type B requests to the sandbox. Invented. */
export const sandboxServiceChain = "Sandbox"

/** Where the sandbox listens unless told otherwise. Invented. */
export const defaultSandboxPort = 8421

export type MarketSymbol = {
  readonly id: number
  readonly name: string
  readonly market: "spot" | "perp"
  readonly quote: string
  /** In quote units for one base unit. */
  readonly referencePrice: string
}

/** What the sandbox trades. Invented. */
export const marketSymbols: readonly MarketSymbol[] = [
  { id: 1, name: "BTC-PERP", market: "perp", quote: "USD", referencePrice: "64000" },
  { id: 2, name: "ETH-PERP", market: "perp", quote: "USD", referencePrice: "3200" },
  { id: 3, name: "BTC-USD", market: "spot", quote: "USD", referencePrice: "64000" },
]
