import { assertConforms, headerMap } from "../contract/conform.ts"
import { connectRaw } from "./link-peer.ts"
import { readEnvelope, type HttpReply } from "./gate.ts"

/**
 * Sends `text` byte for byte and reads until the server closes: `undefined` when it closed without an
 * answer. What is sent must make the server close, by HTTP/1.0 or `Connection: close` or an error.
 */
export async function askRaw(port: number, text: string): Promise<HttpReply | undefined> {
  const peer = await connectRaw(port)
  peer.send(text)
  const reply = await readReply(peer)
  const [, method = "", path = ""] = /^(\S+) (\S+)/.exec(text) ?? []
  if (reply !== undefined) {
    const { status, headers, text: body } = reply
    assertConforms({ method, path, status, headers: headerMap(headers), text: body })
  }
  return reply
}

/** Reads one answer from a connection that the server is going to close. */
export async function readReply(peer: {
  line(): Promise<string | undefined>
  rest(): Promise<string>
}): Promise<HttpReply | undefined> {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec((await peer.line()) ?? "")?.[1]
  if (status === undefined) return undefined
  const headers: Record<string, string> = {}
  for (let line = await peer.line(); line !== undefined; line = await peer.line()) {
    const [, name, value] = /^([^:]+): (.*)\r$/.exec(line) ?? []
    if (name === undefined || value === undefined) break
    headers[name.toLowerCase()] = value
  }
  const text = await peer.rest()
  return {
    status: Number(status),
    headers,
    text,
    get envelope() {
      return readEnvelope(text)
    },
  }
}
