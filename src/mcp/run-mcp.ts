import type { Readable, Writable } from "node:stream"

import { createClient, type Client } from "../client/create-client.ts"
import { Fault } from "../std/fault.ts"
import { serverFactory } from "./make-server.ts"
import { serveOn } from "./serve-stdio.ts"
import { readToken } from "./token-file.ts"
import { readOnlyTools, type Desk, type ToolName } from "./tool.ts"

export type McpOptions = {
  readonly tokenFile: string
  readonly url: string
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
  const left = new AbortController()
  const desk = await openDesk(createClient({ url: options.url, token }), left.signal)
  if (options.paper && !desk.whoami.paper) {
    throw new Fault("usage", "--paper takes a token of a paper client, and this one isn't.")
  }
  const served = await serveOn(streams, serverFactory(desk, isListed(options)))
  left.abort()
  return served
}

function isListed({ readOnly, tools }: McpOptions): (name: ToolName) => boolean {
  return (name) =>
    (!readOnly || readOnlyTools.includes(name)) && (tools === undefined || tools.includes(name))
}

/**
 * Asks the daemon what the token may do; a change of policy is seen by the next start.
 *
 * @throws {Fault} where it doesn't answer, or doesn't know the token.
 */
export async function openDesk(client: Client, signal: AbortSignal): Promise<Desk> {
  const answer = await client.whoami()
  if (!answer.ok) throw unreached(answer)
  const whoami = answer.data
  const symbols = new Map(whoami.symbols.map(({ name, symbol_id }) => [name, symbol_id]))
  return { client, whoami, symbols, nowMs: Date.now, signal }
}

function unreached({ source, code }: { readonly source: string; readonly code: string }): Fault {
  return source === "none"
    ? new Fault("vault_unavailable", "The daemon doesn't answer; start it, or give its --url.")
    : new Fault("config_invalid", `The daemon refuses the token: ${code}.`)
}
