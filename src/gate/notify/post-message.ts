import { Agent, request } from "undici"

import { errorFields } from "../process/log.ts"
import type { Message } from "./message.ts"

/** What became of a message: the webhook's status, or why there is none. */
export type Posted =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "failed"; readonly code: string }

/** From the name's lookup to the end of the answer. */
const deadlineMs = 5_000

/** A longer answer is cut off. */
const maxAnswerBytes = 16_384

/**
 * Posts a message once, to that address and nowhere else: redirects aren't followed. Never throws; what is
 * said of a failure names no address, since whoever knows it can write there.
 */
export async function postMessage(
  webhook: string,
  message: Message,
  signal?: AbortSignal,
): Promise<Posted> {
  // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: true }, allowH2: false })
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const { statusCode, body } = await request(webhook, {
      dispatcher,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "countersign" },
      body: JSON.stringify(message),
      signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
    })
    // Its status is all that counts.
    await body.dump({ limit: maxAnswerBytes }).catch(() => undefined)
    return { kind: "answered", status: statusCode }
  } catch (error) {
    return { kind: "failed", code: deadline.aborted ? "timeout" : errorFields(error).code }
  } finally {
    await dispatcher.destroy()
  }
}

/** Whether a webhook took a message. */
export function isTaken(posted: Posted): posted is Extract<Posted, { kind: "answered" }> {
  return posted.kind === "answered" && posted.status >= 200 && posted.status < 300
}
