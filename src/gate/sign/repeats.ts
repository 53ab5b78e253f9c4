import { maxKeptAnswerBytes, type KeptAnswer } from "../../link/calls/both-ways.ts"
import type { Answered } from "../../contract/signed.ts"
import type { Reply, VenueAnswer } from "../http/reply.ts"

/** Sends that repeats of the same request may be waiting for, by record. */
export type SharedSends = {
  /** Before the vault is asked for a signature. To be called once what it answered was shared, or came to nothing. */
  readonly begin: () => () => void
  /** The reply of a send of `record` that is under way or isn't forgotten yet; else that of `send`. */
  share(record: string, send: () => Promise<Sending>): Promise<Reply>
}

export type Sending = {
  readonly reply: Reply
  /** Where the venue told what became of the request: until the vault has heard of it. */
  readonly heard?: Promise<void>
}

/**
 * Starts with none. What the venue told of a request is shared until the vault has heard of it, and all that it was
 * asked before has been answered: a repeat of which it thought that it may be sent again must not be, for what was
 * refused may have been given its room back by then. After any other reply the request may be sent again, so that
 * is shared by those alone that waited for it.
 */
export function createSharedSends(): SharedSends {
  const kept = new Map<string, Promise<Reply>>()
  const asks = openAsks()
  const keep = (record: string, { reply, heard }: Sending): Reply => {
    const forget = (): boolean => kept.delete(record)
    if (heard === undefined) forget()
    else void heard.then(() => asks.whenOver(forget))
    return reply
  }
  return {
    begin: asks.begin,
    share(record, send) {
      const earlier = kept.get(record)
      if (earlier !== undefined) return earlier
      const reply = send().then(
        (sending) => keep(record, sending),
        (error: unknown) => {
          kept.delete(record)
          throw error
        },
      )
      kept.set(record, reply)
      return reply
    },
  }
}

/** What the vault is being asked, and what waits until it has answered. */
function openAsks() {
  /** By number, the oldest first. */
  const underWay = new Set<number>()
  const waiting: { readonly lastAsk: number; readonly run: () => void }[] = []
  let lastAsk = 0

  const runWaiting = (): void => {
    const [oldest = Infinity] = underWay
    for (let [next] = waiting; next !== undefined && next.lastAsk < oldest; [next] = waiting) {
      waiting.shift()
      next.run()
    }
  }
  return {
    begin: (): (() => void) => {
      const ask = ++lastAsk
      underWay.add(ask)
      return () => {
        underWay.delete(ask)
        runWaiting()
      }
    },
    /** Runs it once all that is under way now is over. */
    whenOver(run: () => void): void {
      waiting.push({ lastAsk, run })
      runWaiting()
    },
  }
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
