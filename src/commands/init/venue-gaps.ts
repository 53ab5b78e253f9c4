import { joinedLines } from "../../venue/endpoints.ts"
import { cancelIds, type Profile, type SymbolEntry } from "../../venue/profile.ts"

/** The lines that venue.yaml lacks before one can trade by it, each with what goes wrong without it as its comment. */
export function venueGaps({ baseUrl, endpoints, symbols }: Profile): readonly string[] {
  const cancels = cancelIds.flatMap((id) => {
    const signing = endpoints.get(id)?.signing
    return signing === undefined || signing.known ? [] : [signing.addLine]
  })
  return [
    ...(baseUrl === undefined
      ? ["base_url: https://…   # else nothing is sent: /sign works, and /v1 answers 501"]
      : []),
    ...joinedLines(cancels).map((line) => `${line}   # else these cancels aren't signed`),
    ...(symbols.byName.size === 0
      ? [
          "symbols: [{id: <id>, name: BTC-PERP, market: perp, quote: USD}]   # else policies bound no size",
        ]
      : []),
  ]
}

/** The symbols without a price to size orders by. */
export function unpricedSymbols({ symbols }: Profile, nowMs: number): readonly SymbolEntry[] {
  return [...symbols.byName.values()].filter(
    ({ referencePrice: price }) => price === undefined || nowMs >= price.asOfMs + price.maxAgeMs,
  )
}
