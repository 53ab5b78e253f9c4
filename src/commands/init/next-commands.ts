import { join } from "node:path"

import { shellWord } from "../../std/visible.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { joinedLines } from "../../venue/endpoints.ts"
import { cancelIds, type Profile, type SymbolEntry } from "../../venue/profile.ts"
import type { KeystoreSettings } from "./init-texts.ts"

/** An installation that was just made: no key, no client, and no policy that allows anything. */
export type NewlyMade = {
  readonly installation: Installation
  readonly profile: Profile
  readonly isSandbox: boolean
  readonly backend: KeystoreSettings["backend"]
  readonly nowMs: number
}

/** The commands that lead to a first order, in order, to be copied. What else a person has to do, their comments say. */
export function nextCommands(made: NewlyMade): readonly string[] {
  const edited = `# once you have edited ${toEdit(made).map(shellWord).join(" and ")}`
  const start = startCommands(made)
  const trade = [
    ...priceCommands(made),
    "countersign agent approve mm --valid-days 30   # beside the daemon: now the venue takes what mm signs",
    "countersign doctor   # tells what is still wrong",
  ]
  // Keys that rest in the daemon's memory are made once it runs.
  if (made.backend === "memory")
    return [...start, ...keyCommands(made), `countersign policy reload   ${edited}`, ...trade]
  return [...keyCommands(made), `countersign policy check   ${edited}`, ...start, ...trade]
}

function toEdit({ installation, profile }: NewlyMade): readonly string[] {
  const { venueFile, policiesDir } = pathsOf(installation)
  const incomplete = venueGaps(profile).length === 0 ? [] : [venueFile]
  return [...incomplete, join(policiesDir, "example.yaml")]
}

function startCommands({ isSandbox, profile }: NewlyMade): readonly string[] {
  const own = "in a terminal of its own"
  const sandbox = `countersign sandbox   # the venue, at ${profile.baseUrl ?? ""}, ${own}`
  return [...(isSandbox ? [sandbox] : []), `countersign serve   # ${own}`]
}

function keyCommands({ isSandbox }: NewlyMade): readonly string[] {
  const wallet = "--name main --role wallet"
  return [
    isSandbox
      ? `countersign keys generate ${wallet}`
      : `countersign keys import ${wallet} < key.hex`,
    "countersign keys generate --name mm --role agent --wallet main",
    "countersign clients add bot --keys mm   # shows the bot's token, this once",
  ]
}

function priceCommands({ profile, nowMs }: NewlyMade): readonly string[] {
  if (profile.symbols.byName.size === 0) return [priceCommand("BTC-PERP", "and so on, by symbol")]
  const [first, ...others] = unpricedSymbols(profile, nowMs).map(({ name }) => name)
  if (first === undefined) return []
  if (profile.pricePoll !== undefined) return [confirmCommand]
  const more = others.length === 0 ? "" : `; ${others.length} more have none either`
  return [priceCommand(first, `without a price, orders can't be sized${more}`)]
}

/** A polled price is believed by its distance from one that a person gave. */
const confirmCommand =
  "countersign prices confirm --all   # beside the daemon, once you have compared what it polled: countersign prices show"

function priceCommand(symbol: string, comment: string): string {
  return `countersign prices set ${shellWord(symbol)} PRICE   # ${comment}`
}

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
