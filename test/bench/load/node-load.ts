import { join } from "node:path"

import { askProcess } from "./ask-process.ts"
import type { Load, LoadAsk } from "./load.ts"

const program = join(import.meta.dirname, "load-process.ts")

export type SteadyAsk = LoadAsk & {
  /** Sent whether or not earlier requests were answered. Without it, each connection sends as it is answered. */
  readonly perSecond?: number
  /** At random moments, as from bots that don't know of each other, and so often on average. */
  readonly isRandom?: boolean
}

/** A process of Node for where wrk isn't, and for a steady rate, which wrk can't keep. All are sent at once, and count as one. */
export async function runNodeLoad(...asks: readonly SteadyAsk[]): Promise<Load> {
  return (await askProcess(program, asks)) as Load // of load-process.ts
}
