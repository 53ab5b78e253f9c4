import { maxKeptAnswerBytes, type KeptAnswer } from "../link/outcome.ts"
import type { Answered } from "../link/signed.ts"
import type { Reply, VenueAnswer } from "./reply.ts"

/** An answer as the vault keeps it; `undefined` when it is too long for that. */
export function keptAnswerOf({ headers, body }: VenueAnswer): KeptAnswer | undefined {
  const { "content-type": type, "content-encoding": encoding } = headers
  const isShort = (type ?? "").length <= 256 && (encoding ?? "").length <= 64
  if (!isShort || body.length > maxKeptAnswerBytes) return undefined
  return {
    body: body.toString("base64"),
    ...(type !== undefined && { type }),
    ...(encoding !== undefined && { encoding }),
  }
}

/** The answer that the vault kept, given once more. */
export function repeatedAnswer({ record, answer }: Answered): Reply {
  const { status, body, type, encoding } = answer
  const headers = {
    ...(type !== undefined && { "content-type": type }),
    ...(encoding !== undefined && { "content-encoding": encoding }),
  }
  const given = { status, headers, body: Buffer.from(body, "base64") }
  return { kind: "venue", answer: given, record, isRepeat: true }
}
