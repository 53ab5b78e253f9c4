import { err, ok, type Result } from "../../std/result.ts"
import { marketSymbols, readUnits, type MarketSymbol } from "../state/market.ts"
import type { PricePath } from "../state/market-state.ts"

type Point = { readonly atMs: number; readonly units: bigint }
type Line = Point & { readonly symbol: MarketSymbol }

/** What funding is at most where prices come from a file, in millionths. */
const maxFunding = 100
const header = "time,symbol,price"
const pricePattern = /^(?=.*[1-9])\d{1,12}(?:\.\d{1,8})?$/
const datePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/

/**
 * Reads `time,symbol,price` lines: a time in UTC or in milliseconds since 1970, a symbol's name or id, a decimal. The first
 * line's time is when the market begins; a price holds until its symbol's next line, the last for good, and a symbol's first
 * one from the beginning. The error is a sentence.
 */
export function parsePriceFile(text: string): Result<PricePath, string> {
  const read = parseLines(text)
  if (!read.ok) return read
  const lines = read.value
  const [first] = lines
  if (first === undefined) return err(`it has no line of ${header}.`)
  const points = Map.groupBy(lines, ({ symbol }) => symbol.id)
  return ok({
    maxFunding,
    priceAt: (symbol, second) => {
      const own = points.get(symbol.id)
      if (own === undefined) return readUnits(symbol.referencePrice)
      return (lastUntil(own, first.atMs + second * 1_000) ?? own[0])?.units ?? 0n
    },
  })
}

function parseLines(text: string): Result<readonly Line[], string> {
  const lines: Line[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === "" || line === header) continue
    const read = parseLine(line)
    if (typeof read === "string") return err(`line ${index + 1}: ${read}.`)
    if (read.atMs < (lines.at(-1)?.atMs ?? 0)) {
      return err(`line ${index + 1}: its time is before that of the line above.`)
    }
    lines.push(read)
  }
  return ok(lines)
}

function parseLine(line: string): Line | string {
  const words = line.split(",")
  if (words.length !== 3) return `it must be ${header}`
  const [time = "", named = "", price = ""] = words
  const atMs = timeOf(time)
  if (atMs === undefined) {
    return "its time must be like 2026-05-28T12:00:00Z or milliseconds since 1970"
  }
  const symbol = marketSymbols.find(({ id, name }) => name === named || String(id) === named)
  if (symbol === undefined) {
    return `its symbol must be one of ${marketSymbols.map(({ name }) => name).join(", ")}`
  }
  return pricePattern.test(price)
    ? { atMs, symbol, units: readUnits(price) }
    : "its price must be a decimal above zero, of at most 8 digits behind the point"
}

function timeOf(text: string): number | undefined {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const atMs = datePattern.test(text) ? Date.parse(text) : NaN
  return Number.isFinite(atMs) ? atMs : undefined
}

/** The last of points in the order of their times that isn't after `atMs`: by halves, for long files. */
function lastUntil(points: readonly Point[], atMs: number): Point | undefined {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((points[middle]?.atMs ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return points[low - 1]
}
