import { createServer, type IncomingHttpHeaders } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

import type { Message } from "../../src/gate/notify/message.ts"
import { parseJson } from "../../src/std/parse-json.ts"
import { until } from "./process-tree.ts"

export type Heard = {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The very bytes, as text. */
  readonly body: string
  /** Of the form `json`. */
  readonly message: Message
}

/** What a webhook's service does: it takes messages over HTTP on loopback. */
export type Webhook = {
  /** Its address, which has `webhookSecret` in it. */
  readonly url: string
  readonly port: number
  /** What it was sent so far, taken or not. */
  readonly heard: readonly Heard[]
  /** The message of that alarm and state, once it came. */
  message(alarm: string, state?: Message["state"]): Promise<Message>
  /** Answers so from now on; with 204 until then. `silent` for no answer at all. */
  answer(status: number | "silent", headers?: Readonly<Record<string, string>>): void
  close(): Promise<void>
}

/** The part of a webhook's address that nobody may see. */
export const webhookSecret = "T0K3N-of-a-webhook-that-nobody-may-see"

/** Starts a webhook, on a free port unless one is named. */
export async function startWebhook(port = 0): Promise<Webhook> {
  const heard: Heard[] = []
  let answer: readonly [number | "silent", Readonly<Record<string, string>>] = [204, {}]
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = parseJson(body) as Message
      heard.push({ url: request.url ?? "", headers: request.headers, body, message })
      const [status, headers] = answer
      if (status !== "silent") response.writeHead(status, headers).end()
    })
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}/hooks/${webhookSecret}?id=1`,
    port: own,
    heard,
    message: (alarm, state = "raised") =>
      until(
        () => heard.find(({ message: it }) => it.alarm === alarm && it.state === state)?.message,
        `${alarm} is ${state}`,
      ),
    answer(status, headers = {}) {
      answer = [status, headers]
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
