import * as z from "zod"

import type { Outcome } from "../../link/calls/both-ways.ts"
import { successCode, type VenueAnswer } from "../http/reply.ts"

const envelope = z.object({
  code: z.string().min(1).max(64),
  data: z.object({ scope: z.string() }).optional().catch(undefined),
})

/**
 * What an answer of the venue means for the record.
 *
 * A clear yes is 2xx with code `0`, a clear no is 2xx or 4xx with another code. The interface leaves
 * open what anything else means, so it is `unknown`: a server that failed may have accepted.
 */
export function outcomeOf(answer: VenueAnswer): Outcome {
  const { status } = answer
  const read = parseEnvelope(answer.body)
  const code = read?.code
  const hundreds = Math.floor(status / 100)
  if (code === successCode && hundreds === 2) return { kind: "accepted", status, code }
  const isRefusal = code !== undefined && code !== successCode
  if (isRefusal && [2, 4].includes(hundreds)) {
    return { kind: "refused", status, code, ...(status === 429 && spentOf(read)) }
  }
  return { kind: "unknown", status }
}

/** Which budget a 429 calls spent: one whose name isn't known says nothing of those that are. */
function spentOf(read: z.infer<typeof envelope> | undefined) {
  const scope = read?.data?.scope
  return scope === "address" || scope === "ip" ? ({ spent: scope } as const) : {}
}

function parseEnvelope(body: Buffer): z.infer<typeof envelope> | undefined {
  try {
    return envelope.parse(JSON.parse(body.toString("utf8")))
  } catch {
    return undefined
  }
}
