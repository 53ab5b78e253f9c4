// The calls about the console: the admin socket mints its link, the bot socket takes what the page says.

import { z } from "zod"

import type { ConsoleState, DecisionFeed } from "./console-views.ts"
import type { Refusal } from "./refusal.ts"
import type { FreezeView } from "./views.ts"

/** 32 random bytes, base64url. */
const secret = z.string().regex(/^[A-Za-z0-9_-]{43}$/)

/**
 * Both halves are needed. The cookie stays out of reach of scripts, but a browser sends it to every port of
 * the host; the proof stays with the page that logged in, which belongs to one port.
 */
export const consoleSession = z.strictObject({ cookie: secret, proof: secret })
export type ConsoleSession = z.infer<typeof consoleSession>

/** Of the bot socket. */
export const consoleBotParams = {
  /** Uses a link up. */
  openConsole: z.strictObject({ secret }),
  consoleState: z.strictObject({ session: consoleSession }),
  /** `after`: the last decision that is known; left out for those that are kept. */
  consoleDecisions: z.strictObject({ session: consoleSession, after: z.int().min(0).optional() }),
  /** Freezes everything; cancels and reduce-only orders stay open. */
  consoleFreeze: z.strictObject({ session: consoleSession, reason: z.string().min(1).max(200) }),
  closeConsole: z.strictObject({ session: consoleSession }),
}

/** Of the admin socket. */
export const consoleAdminParams = {
  /** Makes a link that works once; one made earlier works no more. */
  linkConsole: z.strictObject({}),
}

type Answer<Value> =
  | ({ readonly kind: "answer" } & Value)
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly record: null }

export type ConsoleBotResults = {
  openConsole: Answer<{ readonly session: ConsoleSession; readonly ends_at: number }>
  consoleState: Answer<{ readonly state: ConsoleState }>
  consoleDecisions: Answer<{ readonly feed: DecisionFeed }>
  consoleFreeze: Answer<{ readonly freeze: FreezeView }>
  closeConsole: Answer<unknown>
}

export type ConsoleAdminResults = {
  linkConsole: {
    readonly secret: string
    readonly valid_for_ms: number
    /** Where countersign.yaml has the gate listen. */
    readonly host: string
    readonly port: number
  }
}
