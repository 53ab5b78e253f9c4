import { Agent, request } from "undici"

import type { NotifyTarget } from "../../link/views/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { errorFields } from "../process/log.ts"
import { postIn, type Post } from "./forms.ts"
import type { Message } from "./message.ts"
import { readAddress } from "./read-address.ts"

/** What became of a message: `undefined` where it was taken, else why it wasn't. */
export type Refusal = {
  /** A sentence with the service's host at most: whoever knows more of its address can write there. */
  readonly why: string
  /** How long the service asks to be left alone. */
  readonly waitMs: number
}

/** From the name's lookup to the end of the answer. */
const deadlineMs = 5_000

/** A longer answer is cut off. */
const maxAnswerBytes = 16_384

/**
 * Posts a message once, to the target's address and nowhere else: redirects aren't followed. Never throws. Any 2xx
 * means taken: Slack answers 200 `ok`, Telegram and ntfy 200 with what was made of the message.
 */
export async function deliver(
  { target, directory }: { readonly target: NotifyTarget; readonly directory: string | undefined },
  message: Message,
  stopping?: AbortSignal,
): Promise<Refusal | undefined> {
  try {
    const address = await readAddress(target, directory)
    try {
      return await send(postIn(target.form, message, address), stopping)
    } finally {
      address.secret?.fill(0)
    }
  } catch (error) {
    return { why: error instanceof Fault ? error.message : "internal error", waitMs: 0 }
  }
}

async function send({ url, headers, body }: Post, stopping?: AbortSignal) {
  // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: true }, allowH2: false })
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const answer = await request(url, {
      dispatcher,
      method: "POST",
      headers: { ...headers, "user-agent": "countersign" },
      body,
      signal: stopping === undefined ? deadline : AbortSignal.any([deadline, stopping]),
    })
    // Its status is all that counts.
    await answer.body.dump({ limit: maxAnswerBytes }).catch(() => undefined)
    if (answer.statusCode >= 200 && answer.statusCode < 300) return undefined
    const waitMs = retryAfterMs(answer.headers["retry-after"])
    return { why: `${url.host} answered HTTP ${answer.statusCode}.`, waitMs }
  } catch (error) {
    const code = deadline.aborted ? "timeout" : errorFields(error).code
    return { why: `${url.host} gave no answer (${code}).`, waitMs: 0 }
  } finally {
    await dispatcher.destroy()
  }
}

/** The most that a service can have us wait. */
const maxWaitMs = 600_000

/** `Retry-After` in seconds (RFC 9110, 10.2.3), as Slack sends it with 429; a date counts as none. */
function retryAfterMs(value: string | readonly string[] | undefined): number {
  return typeof value === "string" && /^\d{1,6}$/.test(value)
    ? Math.min(Number(value) * 1_000, maxWaitMs)
    : 0
}
