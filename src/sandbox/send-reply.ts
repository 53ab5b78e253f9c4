import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"

import type { Reply } from "./answer-request.ts"
import type { FaultKind, VenueFault } from "./faults.ts"

export type Sending = {
  readonly response: ServerResponse
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal
  readonly nowMs: number
}

/** Sends a reply as the faults that struck will have it. The first of those that spoil the body spoils it. */
export async function sendReply(
  reply: Reply,
  struck: readonly VenueFault[],
  sending: Sending,
): Promise<void> {
  const { response, nowMs } = sending
  const find = (kind: FaultKind) => struck.find((fault) => fault.kind === kind)
  const offset = find("clock_offset")
  if (offset !== undefined) response.setHeader("Date", new Date(nowMs + offset.ms).toUTCString())
  response.statusCode = reply.status
  response.setHeader(
    "content-type",
    find("wrong_type") === undefined ? "application/json; charset=utf-8" : "text/html",
  )
  if (find("endless_body") !== undefined) return sendEndless(sending)
  const text = JSON.stringify(reply.envelope)
  const sent = find("broken_json") === undefined ? text : text.slice(0, text.length / 2)
  response.setHeader("content-length", Buffer.byteLength(sent))
  const slow = find("slow_body")
  if (slow === undefined) response.end(sent)
  else await sendSlowly(Buffer.from(sent), slow.ms, sending)
}

const pieceBytes = 16
const spaces = Buffer.alloc(65_536, " ")

async function sendSlowly(bytes: Buffer, ms: number, { response, gone }: Sending): Promise<void> {
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    response.write(bytes.subarray(start, start + pieceBytes))
    await wait(ms, undefined, { signal: gone })
  }
  response.end()
}

/** As fast as the caller reads, until it goes. */
async function sendEndless({ response, gone }: Sending): Promise<void> {
  for (;;) {
    if (!response.write(spaces)) await once(response, "drain", { signal: gone })
    gone.throwIfAborted()
  }
}
