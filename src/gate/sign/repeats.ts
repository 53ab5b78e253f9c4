import { maxKeptAnswerBytes, type KeptAnswer } from "../../link/views/outcome.ts"
import type { Answered } from "../../link/views/signed.ts"
import type { Reply, VenueAnswer } from "../http/reply.ts"
import { outcomeOf } from "../upstream/outcome.ts"

/** Sends that repeats of the same request may be waiting for, by record. */
export type SharedSends = {
  /** The reply of a send of `record` that is under way or has just been answered; else that of `send`. */
  share(record: string, send: () => Promise<Reply>): Promise<Reply>
}

/**
 * Starts with none. An answer of the venue that tells what became of the request is shared for `keptMs` more:
 * a repeat that the vault was asked about before it heard of the answer must not send again. Any other reply
 * leaves the request to be sent again, so it is shared by those alone that waited for it.
 */
export function createSharedSends(keptMs: number): SharedSends {
  const underWay = new Map<string, Promise<Reply>>()
  return {
    share(record, send) {
      const earlier = underWay.get(record)
      if (earlier !== undefined) return earlier
      const forget = (): boolean => underWay.delete(record)
      const reply = send().then(
        (sent) => {
          if (isAnswer(sent)) setTimeout(forget, keptMs).unref()
          else forget()
          return sent
        },
        (error: unknown) => {
          forget()
          throw error
        },
      )
      underWay.set(record, reply)
      return reply
    },
  }
}

function isAnswer(reply: Reply): boolean {
  if (reply.kind !== "venue" || reply.answer.body.length > maxKeptAnswerBytes) return false
  return outcomeOf(reply.answer).kind !== "unknown"
}

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
