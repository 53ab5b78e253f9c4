import type { Readable, Writable } from "node:stream"

export type Input = Readable & { readonly isTTY?: boolean }

export type Output = Writable & {
  readonly isTTY?: boolean
  /** How wide a terminal is, in characters. */
  readonly columns?: number
  /** How high, in lines. */
  readonly rows?: number
}

/** The three that every process has, or others in their place. */
export type Streams = {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}
