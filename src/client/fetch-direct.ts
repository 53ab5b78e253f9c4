import {
  Agent,
  request as requestPlain,
  type IncomingMessage,
  type RequestOptions,
} from "node:http"
import { Agent as TlsAgent, request as requestTls } from "node:https"
import { buffer } from "node:stream/consumers"

/** What of a request is needed here. */
export type DirectAsk = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

// Agents of our own: the platform's fetch and its global agents ask a proxy that the environment names, also for
// loopback (NODE_USE_ENV_PROXY, http.setGlobalProxyFromEnv), and it would read token and order.
const plain = new Agent({ keepAlive: true })
const tls = new TlsAgent({ keepAlive: true })

/** Asks without any proxy, and follows no redirect. @throws where no whole answer came. */
export function fetchDirect(
  url: string,
  { method = "GET", headers = {}, body, signal }: DirectAsk = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const target = new URL(url)
    const options: RequestOptions = { method, headers, ...(signal !== undefined && { signal }) }
    const take = (came: IncomingMessage): void =>
      void buffer(came).then((bytes) => resolve(responseOf(came, bytes)), reject)
    const request =
      target.protocol === "https:"
        ? requestTls(target, { ...options, agent: tls }, take)
        : requestPlain(target, { ...options, agent: plain }, take)
    request.on("error", reject).end(body)
  })
}

function responseOf({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Response {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  // Some statuses have no body, which a Response wants said.
  return new Response(bytes.length === 0 ? null : bytes, { status: statusCode, headers: pairs })
}
