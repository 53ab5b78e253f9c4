import { readFileSync } from "node:fs"

import { Fault } from "../../std/fault.ts"
import { parsePriceFile } from "./price-file.ts"
import { moods, walkPath, type MoodName } from "./price-path.ts"
import type { PricePath } from "../state/market-state.ts"

/**
 * The prices that `--market` asks for: those of a mood, or of a file.
 *
 * @throws {Fault} `usage` for a file that can't be read or isn't one of prices.
 */
export function openPath(market: string, seed: number): PricePath {
  if (isMood(market)) return walkPath(market, seed)
  const path = parsePriceFile(readText(market))
  if (path.ok) return path.value
  throw new Fault("usage", `${market} isn't a file of prices: ${path.error}`)
}

function isMood(text: string): text is MoodName {
  return Object.hasOwn(moods, text)
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    const words = Object.keys(moods).join(", ")
    const message = `--market takes ${words} or a file of time,symbol,price lines; ${file} can't be read.`
    throw new Fault("usage", message, { cause })
  }
}
