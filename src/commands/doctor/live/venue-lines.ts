import type { PriceView } from "../../../contract/bot-views.ts"
import { joinedLines } from "../../../venue/builtin-profile.ts"
import { cancelIds, type Profile } from "../../../venue/profile.ts"
import { sandboxChainId } from "../../../sandbox/state/market.ts"
import { shellWord } from "../../../std/visible.ts"
import { upstreamFinding, type Reached } from "../upstream-finding.ts"
import { holds, lacks, notKnown, type LiveLine } from "../finding.ts"
import { spanWords } from "../../../std/time/time-words.ts"

/** Where the venue is; base_url can't change while the daemon runs, so a reload doesn't do. */
export async function baseUrlLines(
  { baseUrl, domain }: Profile,
  at: { readonly venueFile: string; readonly restart: string },
  reach: (url: URL) => Promise<Reached>,
): Promise<readonly LiveLine[]> {
  const { venueFile, restart } = at
  const found = await upstreamFinding({ baseUrl, venueFile }, reach)
  const { message, state, fix } = found
  if (state === "ok") {
    if (domain.chainId === BigInt(sandboxChainId)) {
      const why = `What is signed is for the sandbox's network, chain ${sandboxChainId}, and good at no venue.`
      return [
        lacks("base_url", why, `write the venue's own into ${venueFile}, then run: ${restart}`),
      ]
    }
    const network = `What is signed is for ${domain.name} ${domain.version}, chain ${domain.chainId}.`
    if (baseUrl?.startsWith("https:") === true) return [holds("base_url", `${message} ${network}`)]
    const what = `it is plain http to this machine, and nothing here tells what is behind it. ${network}`
    return [notKnown("base_url", what, `curl -v ${shellWord(baseUrl ?? "")}`)]
  }
  return [lacks("base_url", message, baseUrl === undefined ? `${fix}, then run: ${restart}` : fix)]
}

/** Whether every cancel can be signed. */
export function cancelLines({ endpoints }: Profile): readonly LiveLine[] {
  const missing = cancelIds.flatMap((id) => {
    const signing = endpoints.get(id)?.signing
    return signing === undefined || signing.known ? [] : [signing.addLine]
  })
  if (missing.length === 0) return [holds("cancels", `Signed are ${cancelIds.join(", ")}.`)]
  const lines = joinedLines(missing).join("; ")
  return [lacks("cancels", "Not every cancel can be signed.", addFix(lines))]
}

/** Whether policies can name and size what is traded. */
export function symbolLines({ symbols }: Profile): readonly LiveLine[] {
  const listed = [...symbols.byName.values()].map(({ name, quote }) => `${name} in ${quote}`)
  if (listed.length > 0) return [holds("symbols", `venue.yaml lists ${listed.join(", ")}.`)]
  const fix = addFix("symbols: [{id: <id>, name: BTC-PERP, market: perp, quote: USD}]")
  return [lacks("symbols", "venue.yaml lists none, so policies bound no size.", fix)]
}

/** Whether each symbol has a price that is fresh, and an anchor that a person gave. */
export function priceLines(prices: readonly PriceView[], nowMs: number): readonly LiveLine[] {
  if (prices.length === 0) {
    return [notKnown("prices", "venue.yaml lists no symbols.", "countersign prices show")]
  }
  const wrong = prices.flatMap(wrongPrice)
  if (wrong.length > 0) return wrong
  const unfed = prices.filter(({ by }) => by === "operator" || by === "profile")
  if (unfed.length > 0) return unfed.map((price) => unfedPrice(price, nowMs))
  const told = prices.map(({ symbol, value, by, good_until: untilMs }) => {
    const left = untilMs === null ? "" : `, good for ${spanWords(untilMs - nowMs)}`
    return `${symbol} ${value ?? ""} by ${by ?? ""}${left}`
  })
  return [holds("prices", `${told.join("; ")}.`)]
}

/** A person's word, or venue.yaml's, ends some day, and follows no market until then. */
function unfedPrice(
  { symbol, value, by, good_until: untilMs }: PriceView,
  nowMs: number,
): LiveLine {
  const whose = by === "operator" ? "a person's" : "venue.yaml's"
  const end = untilMs === null ? "" : `, good for ${spanWords(untilMs - nowMs)}`
  const what = `whether a feed runs: the price of ${symbol}, ${value ?? ""}, is ${whose}${end}, and no feed gave a newer one.`
  const fix =
    "have a client feed it, or add price_poll to venue.yaml; then look: countersign prices show"
  return notKnown("prices", what, fix)
}

function wrongPrice({ symbol, state, anchor, pending }: PriceView): readonly LiveLine[] {
  if (state === "known" && anchor !== null) return []
  const name = shellWord(symbol)
  if (pending !== null) {
    const message = `The price that was fed for ${symbol}, ${pending}, waits for a person.`
    return [lacks("prices", message, `countersign prices confirm ${name}`)]
  }
  const why = state === "stale" ? `The price of ${symbol} is stale.` : `${symbol} has no price.`
  return [
    lacks("prices", why, `have a client feed it, or run: countersign prices set ${name} PRICE`),
  ]
}

/** What to do about a line that the venue's interface doesn't disclose. */
export function addFix(lines: string): string {
  return `add to venue.yaml, from the venue's own documentation, ${lines} and then run: countersign policy reload`
}
