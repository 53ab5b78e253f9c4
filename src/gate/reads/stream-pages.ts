import type { ServerResponse } from "node:http"
import { setTimeout as after } from "node:timers/promises"

import * as z from "zod"

import type { Problem } from "../http/problem.ts"
import { fromVenue, pagelessHeaders, successCode, type VenueAnswer } from "../http/reply.ts"
import type { GateLimits } from "../process/gate-limits.ts"
import { outcomeOf } from "../upstream/exchange.ts"
import { isQuery } from "../upstream/upstream.ts"
import {
  fetchRead,
  type ReadAsk,
  type ReadDependencies,
  type ReadReply,
  parseRawJson,
} from "./fetch-read.ts"

export type StreamDependencies = ReadDependencies & { readonly limits: GateLimits }

/**
 * Writes every item of a list, page after page, as NDJSON; the next page is asked for when the one before has
 * left. What goes wrong with the first page is an ordinary answer. After that the status is out: the caller cuts
 * the connection (`gone`), so that the last chunk is missing and no client takes a part for the whole.
 */
export async function streamPages(
  deps: StreamDependencies,
  ask: ReadAsk,
  way: StreamWay,
): Promise<ReadReply | "written"> {
  const reply = await fetchRead(deps, ask, way.signal)
  if (reply === "gone" || reply.kind === "problem") return reply
  const first = parsePage(reply.answer)
  if (first === undefined) {
    return isRefusal(reply.answer) ? reply : { kind: "problem", problem: notPaginated }
  }
  const { response, signal } = way
  response.writeHead(200, {
    ...pagelessHeaders,
    ...fromVenue,
    "Content-Type": "application/x-ndjson",
  })
  response.flushHeaders() // pages may be empty for a while
  const failure = await writePages(deps, { ask, first }, way)
  if (failure === undefined) {
    response.end()
    return "written"
  }
  if (!signal.aborted) deps.log({ level: "warn", event: "stream_cut", code: failure })
  return "gone"
}

/** Writes all pages, and tells what it failed by; `undefined` when it is through. */
async function writePages(
  deps: StreamDependencies,
  { ask, first }: { readonly ask: ReadAsk; readonly first: Page },
  way: StreamWay,
): Promise<string | undefined> {
  const hasCome = cursorMemory()
  for (let page = first; ;) {
    await written(page.lines, way)
    if (way.signal.aborted) return "hung_up"
    if (page.next === undefined) return undefined
    if (hasCome(page.next)) return "cursor_repeated"
    const query = queryFrom(ask.query, page.next)
    if (!isQuery(query)) return "cursor_too_long"
    const next = await nextPage(deps, { ...ask, query }, way)
    if (typeof next === "string") return next
    page = next
  }
}

/**
 * Remembers a cursor, a later one after twice as many, so that in constant room it meets any circle again
 * (Brent's algorithm); and the last one, to meet the shortest at once.
 */
function cursorMemory(): (cursor: string) => boolean {
  let count = 0
  let kept: string | undefined
  let last: string | undefined
  return (cursor) => {
    const hasCome = cursor === kept || cursor === last
    count += 1
    if (Number.isInteger(Math.log2(count))) kept = cursor
    last = cursor
    return hasCome
  }
}

function queryFrom(query: string, cursor: string): string {
  const others = query.split("&").filter((part) => part !== "" && part.split("=")[0] !== "cursor")
  const encoded = encodeURIComponent(cursor).replaceAll("'", "%27")
  return [...others, `cursor=${encoded}`].join("&")
}

/** The next page, once there is room for it, here and at the venue; or what kept it away. */
async function nextPage(
  deps: StreamDependencies,
  ask: ReadAsk,
  way: StreamWay,
): Promise<Page | string> {
  for (let patienceMs = deps.limits.maxRoomWaitMs; ;) {
    const came = cameOf(await fetchRead(deps, ask, way.signal))
    if (typeof came === "string" || !("waitMs" in came)) return came
    if (came.waitMs > patienceMs) return came.code
    patienceMs -= came.waitMs
    await pause(came.waitMs, deps.limits, way)
    if (way.signal.aborted) return "hung_up"
  }
}

/** After how long to ask again, and what to tell where that is too long. */
type Shortage = { readonly waitMs: number; readonly code: string }

/** A page, or want of room for one, or the word for what failed. */
function cameOf(reply: ReadReply): Page | Shortage | string {
  if (reply === "gone") return "hung_up"
  if (reply.kind === "problem") {
    const { code } = reply.problem
    const waitMs = waitOf(reply.problem)
    return waitMs === undefined ? code : { waitMs, code }
  }
  const { answer } = reply
  if (answer.status !== 429) return parsePage(answer) ?? "not_paginated"
  return { waitMs: waitOfVenue(answer), code: "ip_budget_exhausted" }
}

/** So often at most the vault is asked for room by one stream, and the venue that has none. */
const leastPauseMs = 20
const leastVenuePauseMs = 1_000

/** How long the venue wants to be left alone: seconds, or until a date (RFC 9110 §10.2.3). */
function waitOfVenue({ headers }: VenueAnswer): number {
  const said = headers["retry-after"] ?? ""
  const waitMs = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now()
  return Number.isNaN(waitMs) ? leastVenuePauseMs : Math.max(leastVenuePauseMs, waitMs)
}

/** How long until there is room; `undefined` where it is something else that is missing, or room never comes. */
function waitOf({ code, data }: Problem): number | undefined {
  if (code !== "ip_budget_exhausted" || data === undefined) return undefined
  const waitMs = "retry_after_ms" in data ? data.retry_after_ms : undefined
  return typeof waitMs === "number" ? Math.max(leastPauseMs, waitMs) : undefined
}

/** That long the connection is silent through no fault of the bot's. */
async function pause(
  waitMs: number,
  { silenceMs }: GateLimits,
  { response: { socket }, signal }: StreamWay,
): Promise<void> {
  socket?.setTimeout(silenceMs + waitMs)
  await after(waitMs, undefined, { signal }).catch(() => undefined) // ends early when the bot leaves
  socket?.setTimeout(silenceMs)
}

function isRefusal(answer: VenueAnswer): boolean {
  return answer.status >= 300 || outcomeOf(answer).kind === "refused"
}

const notPaginated: Problem = {
  code: "not_paginated",
  message: "The venue's answer isn't a page of a list; ask without all=true.",
}

/** Where a stream goes, and what says that nobody reads it any more. */
type StreamWay = { readonly response: ServerResponse; readonly signal: AbortSignal }

/** Resolves when the text has left for who reads it, or nobody does. */
function written(text: string, { response, signal }: StreamWay): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || text === "") {
      resolve()
      return
    }
    const done = (): void => {
      signal.removeEventListener("abort", done)
      resolve()
    }
    signal.addEventListener("abort", done)
    response.write(text, done)
  })
}

/** A page of a list of the venue's. */
type Page = {
  /** Each item as one line of JSON, its numbers as they came. */
  readonly lines: string
  /** The cursor of the page after it. */
  readonly next: string | undefined
}

// More is allowed than the interface shows, but nothing less: what isn't a page can't be told from an end. Where
// there is no more, any cursor is one that nobody follows.
const shape = z.object({
  code: z.literal(successCode),
  data: z.object({
    list: z.array(z.unknown()),
    next_cursor: z
      .string()
      .max(1_024)
      .refine((cursor) => cursor.isWellFormed())
      .nullable(),
    has_more: z.boolean(),
  }),
})

/** Parses an answer in the interface's paginated shape; `undefined` when it isn't in that, or contradicts itself. */
export function parsePage({ status, body }: VenueAnswer): Page | undefined {
  const isOk = status >= 200 && status < 300
  const read = shape.safeParse(isOk ? parseRawJson(body) : undefined)
  if (!read.success) return undefined
  const { list, next_cursor: cursor, has_more: hasMore } = read.data.data
  const next = hasMore ? (cursor ?? "") : undefined
  if (next === "") return undefined
  const lines = list.map((item) => `${JSON.stringify(item)}\n`).join("")
  return { lines, next }
}
