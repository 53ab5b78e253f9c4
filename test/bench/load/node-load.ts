import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"

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
  const child = spawn(process.execPath, [program], { stdio: "pipe" })
  child.stdin.end(JSON.stringify(asks))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`the load generator ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Load // of load-process.ts
}
