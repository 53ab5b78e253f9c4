import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import type { Load, LoadAsk } from "./load.ts"

const program = join(import.meta.dirname, "load-process.ts")

export type SteadyAsk = LoadAsk & {
  /** Sent whether or not earlier requests were answered. Without it, each connection sends as it is answered. */
  readonly perSecond?: number
}

/** A process of Node for where wrk isn't, and for a steady rate, which wrk can't keep. */
export async function runNodeLoad(ask: SteadyAsk): Promise<Load> {
  const child = spawn(process.execPath, [program], { stdio: "pipe" })
  child.stdin.end(JSON.stringify(ask))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`the load generator ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Load // of load-process.ts
}
