import type { ToolAnnotations } from "@modelcontextprotocol/server"
import * as z from "zod"

import type { Client, Schemas } from "../client/create-client.ts"
import type { ToolAnswer } from "./answers.ts"
import type { SymbolIds } from "./order-input.ts"

/** What a tool works with. */
export type Desk = {
  readonly client: Client
  /** What the daemon says of the token when the server starts. */
  readonly whoami: Schemas["Whoami"]
  /** Of `whoami`. */
  readonly symbols: SymbolIds
  /** In milliseconds since 1970. */
  readonly nowMs: () => number
  /** Ends calls that are under way once nobody reads answers any more. */
  readonly signal: AbortSignal
}

/** A tool, once it is known what the token may do. */
export type Tool = {
  readonly name: ToolName
  /** Clients cut it at 240 characters, so what matters most stands first. */
  readonly description: string
  readonly input: z.ZodObject
  readonly hints: ToolAnnotations
  /** It gets what its input's schema made of the call. */
  readonly run: (input: never) => Promise<ToolAnswer>
  /** Whether it stops or undoes something, which no pace holds up. */
  readonly isWayOut?: true
}

export const toolNames = [
  ...(["whoami", "limits", "check_order", "place_order", "cancel_order"] as const),
  ...(["cancel_all", "record", "read", "freeze_me"] as const),
] as const
export type ToolName = (typeof toolNames)[number]

/** Those that change nothing but the daemon's own record. */
export const readOnlyTools: readonly ToolName[] = [
  "whoami",
  "limits",
  "check_order",
  "record",
  "read",
]

/** Makes a tool; `run` gets what `input` reads. */
export function tool<Input extends z.ZodObject>(
  made: Omit<Tool, "input" | "run"> & {
    readonly input: Input
    readonly run: (input: z.infer<Input>) => Promise<ToolAnswer>
  },
): Tool {
  return made
}
