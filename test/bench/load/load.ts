import { runNodeLoad } from "./node-load.ts"
import { runWrk } from "./wrk.ts"

export type LoadAsk = {
  readonly url: string
  /** Whole requests, sent in turn, over and over. */
  readonly posts: readonly string[]
  readonly connections: number
  readonly seconds: number
}

/** What the other process saw. Milliseconds are from a request's sending to its answer's last byte. */
export type Load = {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

/**
 * Keeps every connection busy with one request at a time, from another process.
 *
 * @throws when any answer is an error: it would be another work that was measured.
 */
export function runLoad(tool: "wrk" | "node", ask: LoadAsk): Promise<Load> {
  return tool === "wrk" ? runWrk(ask) : runNodeLoad(ask)
}
