import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import type { Pace } from "./pace.ts"

/** What is done at a pace. */
export type PacedSubject =
  | {
      readonly kind: "http"
      readonly url: string
      readonly posts: readonly string[]
      /** Asked on a connection of its own every few milliseconds. */
      readonly between?: { readonly posts: readonly string[]; readonly everyMs: number }
    }
  /** One of beside/signers.ts. */
  | { readonly kind: "in process"; readonly name: string }
  | { readonly kind: "ssh-agent"; readonly path: string; readonly key: string }
  /** One page that reaches the disk. */
  | { readonly kind: "flush"; readonly file: string }

export type PaceAsk = Pace & {
  readonly subject: PacedSubject
  /** Of the processes that do it; of the one that asks if left out. */
  readonly pids?: readonly number[] | undefined
}

/** What the process saw, and the processor time for each. */
export type Paced = {
  readonly requests: number
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  readonly cpuMicros: number
}

const program = join(import.meta.dirname, "pace-process.ts")

/** Does it in a process of its own. @throws when any answer is an error. */
export async function runPace(ask: PaceAsk): Promise<Paced> {
  const child = spawn(process.execPath, [program], { stdio: "pipe" })
  child.stdin.end(JSON.stringify(ask))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`what keeps the pace ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as Paced // of pace-process.ts
}
