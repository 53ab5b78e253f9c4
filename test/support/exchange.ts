import type { ClientRequest, IncomingMessage } from "node:http"

import supertest from "supertest"

import { keepOutput } from "./canaries.ts"
import { readEnvelope, type HttpAsk, type HttpReply } from "./gate.ts"

/**
 * Asks a port of 127.0.0.1 or a Unix socket by supertest, with the Host that is meant if `ask` names no other.
 * The path and the body go out as they are, with no header that nobody gave.
 */
export async function exchange(to: number | string, ask: HttpAsk): Promise<HttpReply> {
  const { method = "GET", path, headers = {}, body } = ask
  const { host, base } = target(to)
  const call = supertest(base)
    [method.toLowerCase() as "get"]("/") // there is one for each method that Node knows
    .set({ host, ...lengthOf(ask), ...headers })
    .unset("Accept-Encoding")
    .buffer(true)
    .parse(readText)
  // A path that supertest takes would be parsed, and a body that it sends would be given a type.
  nodeRequest(call).path = path
  if (body !== undefined) call.write(body)
  const response = await call
  const text = method === "HEAD" ? "" : (response.body as string)
  keepOutput("answers over HTTP", `${rawHeaders(response).join("\n")}\n${text}\n`)
  return {
    status: response.status,
    headers: response.headers,
    text,
    get envelope() {
      return readEnvelope(text)
    },
  }
}

function target(to: number | string): { readonly host: string; readonly base: string } {
  return typeof to === "number"
    ? { host: `127.0.0.1:${to}`, base: `http://127.0.0.1:${to}` }
    : { host: "localhost", base: `http+unix://${encodeURIComponent(to)}` }
}

function lengthOf({ body, headers = {} }: HttpAsk): Readonly<Record<string, string>> {
  if (body === undefined || "transfer-encoding" in headers) return {}
  return { "content-length": String(Buffer.byteLength(body)) }
}

/** Reads any type of content as text, JSON too: the tests hold it against what was to be sent. */
function readText(response: supertest.Response, done: (error: null, text: string) => void): void {
  const message = messageOf(response)
  const chunks: Buffer[] = []
  message.on("data", (chunk: Buffer) => chunks.push(chunk))
  message.on("end", () => done(null, Buffer.concat(chunks).toString("utf8")))
}

/** Node's own request, which superagent has and leaves out of its types. */
function nodeRequest(call: supertest.Test): ClientRequest {
  return (call as unknown as { request(): ClientRequest }).request()
}

/** What a parser is given is Node's own message, against its types. */
function messageOf(response: supertest.Response): IncomingMessage {
  return response as unknown as IncomingMessage
}

/** Every header as it came, from Node's message, which the types leave out too. */
function rawHeaders(response: supertest.Response): readonly string[] {
  return (response as unknown as { readonly res: IncomingMessage }).res.rawHeaders
}
