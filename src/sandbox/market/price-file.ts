import { err, ok, type Result } from "../../std/result.ts"
import { marketSymbols, readUnits, type MarketSymbol } from "../state/market.ts"
import type { PricePath } from "./price-path.ts"

type Point = { readonly atMs: number; readonly units: bigint }

/** What funding is at most where prices come from a file, in millionths. */
const maxFunding = 100
const header = "time,symbol,price"
const pricePattern = /^\d{1,12}(?:\.\d{1,8})?$/
const datePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/

/**
 * Reads `time,symbol,price` lines: a time in UTC or in milliseconds since 1970, a symbol's name or id, a decimal. The first
 * line's time is when the market begins; a price holds until its symbol's next line, the last for good, and a symbol's first
 * one from the beginning. The error is a sentence.
 */
export function parsePriceFile(text: string): Result<PricePath, string> {
  const points = new Map<number, Point[]>()
  let lastMs: number | undefined
  let firstMs = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line === "" || (index === 0 && line === header)) continue
    const read = parseLine(line)
    if (typeof read === "string") return err(`line ${index + 1}: ${read}.`)
    const { symbol, ...point } = read
    if (point.atMs < (lastMs ?? 0)) {
      return err(`line ${index + 1}: its time is before that of the line above.`)
    }
    firstMs = lastMs === undefined ? point.atMs : firstMs
    lastMs = point.atMs
    const own = points.get(symbol.id)
    if (own === undefined) points.set(symbol.id, [point])
    else own.push(point)
  }
  if (lastMs === undefined) return err(`it has no line of ${header}.`)
  return ok({ maxFunding, priceAt: (symbol, second) => priceOf(symbol, firstMs + second * 1_000) })

  function priceOf(symbol: MarketSymbol, atMs: number): bigint {
    const own = points.get(symbol.id)
    if (own === undefined) return readUnits(symbol.referencePrice)
    return lastUntil(own, atMs)?.units ?? own[0]?.units ?? 0n
  }
}

function parseLine(line: string): (Point & { readonly symbol: MarketSymbol }) | string {
  const [time = "", named = "", price = "", ...rest] = line.split(",")
  if (price === "" || rest.length > 0) return `it must be ${header}`
  const atMs = timeOf(time)
  if (atMs === undefined) {
    return "its time must be like 2026-05-28T12:00:00Z or milliseconds since 1970"
  }
  const symbol = marketSymbols.find(({ id, name }) => name === named || String(id) === named)
  if (symbol === undefined) {
    return `its symbol must be one of ${marketSymbols.map(({ name }) => name).join(", ")}`
  }
  return pricePattern.test(price) && /[1-9]/.test(price)
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
