import { maxKeptAnswerBytes } from "../link/outcome.ts"
import { outcomeOf } from "./outcome.ts"
import type { Reply } from "./reply.ts"

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
