import { testMessage, type Message } from "../../gate/notify/message.ts"
import { postMessage, type Posted } from "../../gate/notify/post-message.ts"

/** What became of a message that was sent to see whether it arrives. */
export type SentTest = {
  /** The webhook's: the rest of the address mostly has a token in it. */
  readonly host: string
  readonly sent: Message
  readonly posted: Posted
}

/** Sends one message from this process, once. Never throws. */
export async function sendTest(webhook: string, by: string): Promise<SentTest> {
  const sent = testMessage(Date.now(), by)
  return { host: new URL(webhook).host, sent, posted: await postMessage(webhook, sent) }
}
