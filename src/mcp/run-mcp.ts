import type { Readable, Writable } from "node:stream"

import { createClient } from "../client/create-client.ts"
import { Fault } from "../std/fault.ts"
import { serverFactory } from "./make-server.ts"
import type { SymbolIds } from "./order-input.ts"
import { findReach } from "./reach.ts"
import { serveOn } from "./serve-stdio.ts"
import { readToken } from "./token-file.ts"
import { readOnlyTools, type ToolName } from "./tool.ts"

export type McpOptions = {
  readonly tokenFile: string
  readonly url: string
  readonly symbols: SymbolIds
  /** Lists none that could change anything. */
  readonly readOnly: boolean
  /** Refuses a token that isn't of a paper client. */
  readonly paper: boolean
  /** The tools that are listed, where not all are. */
  readonly tools: readonly ToolName[] | undefined
}

type Streams = { readonly stdin: Readable; readonly stdout: Writable }

/**
 * Serves the tools on these streams until the input ends. Resolves with whether a message was too long, which ends it too.
 *
 * @throws {Fault} where the token or the daemon isn't what it should be, before anything is served.
 */
export async function runMcp(
  options: McpOptions,
  streams: Streams,
): Promise<{ readonly isOverlong: boolean }> {
  const token = await readToken(options.tokenFile)
  const client = createClient({ url: options.url, token })
  const reach = await findReach(client, options.symbols)
  if (options.paper && !reach.whoami.paper) {
    throw new Fault("usage", "--paper takes a token of a paper client, and this one isn't.")
  }
  const left = new AbortController()
  const desk = { client, reach, nowMs: Date.now, signal: left.signal }
  const served = await serveOn(streams, serverFactory(desk, isListed(options)))
  left.abort()
  return served
}

function isListed({ readOnly, tools }: McpOptions): (name: ToolName) => boolean {
  return (name) =>
    (!readOnly || readOnlyTools.includes(name)) && (tools === undefined || tools.includes(name))
}
