import { join } from "node:path"

import { askProcess } from "./ask-process.ts"
import type { Pace } from "./pace.ts"

/** What is done at a pace. */
export type PacedSubject =
  | {
      readonly kind: "http"
      readonly url: string
      readonly posts: readonly string[]
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
  return (await askProcess(program, ask)) as Paced // of pace-process.ts
}
