import { createServer, type Server, type Socket } from "node:net"
import type { TestContext } from "node:test"
import { createServer as createTlsServer } from "node:tls"

import { testTls } from "./tls.ts"

/** A server that speaks bytes: what a broken venue, or the network on the way to it, might do. */
export type RawVenue = {
  readonly base: string
  readonly port: number
  /** All bytes that arrived, a text for each connection. */
  readonly received: readonly string[]
}

/** `onRequest` runs for each whole request on a connection, `onConnection` before the first byte of it. */
export type RawVenueScript = {
  readonly onConnection?: (socket: Socket) => void
  /** `count`: of all requests so far. `body`: as it came. */
  readonly onRequest?: (socket: Socket, count: number, body: string) => void
}

/** Runs a scripted venue on a free port until the test ends. */
export async function startRawVenue(
  t: Pick<TestContext, "after">,
  script: RawVenueScript & { readonly tls?: true },
): Promise<RawVenue> {
  const received: string[] = []
  const sockets = new Set<Socket>()
  let requests = 0
  const accept = (socket: Socket): void => {
    const index = received.push("") - 1
    let unread = ""
    sockets.add(socket)
    socket.setEncoding("utf8")
    socket.on("error", () => undefined)
    socket.on("data", (chunk: string) => {
      received[index] = (received[index] ?? "") + chunk
      unread += chunk
      for (let end = requestEnd(unread); end !== undefined; end = requestEnd(unread)) {
        const body = unread.slice(unread.indexOf("\r\n\r\n") + 4, end)
        unread = unread.slice(end)
        requests += 1
        script.onRequest?.(socket, requests, body)
      }
    })
    script.onConnection?.(socket)
  }
  const server: Server =
    script.tls === true ? createTlsServer(testTls, accept) : createServer(accept)
  server.on("tlsClientError", () => undefined)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return { base: `http://127.0.0.1:${address.port}`, port: address.port, received }
}

/** Where the first request in `text` ends; it declares its length. */
function requestEnd(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n")
  if (head === -1) return undefined
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? "0"
  const end = head + 4 + Number(length)
  return text.length >= end ? end : undefined
}

/** An answer in HTTP/1.1 with its length. */
export function httpText(body: string, status = "200 OK", headers = ""): string {
  return httpHead(Buffer.byteLength(body), headers, status) + body
}

/** What goes before a body of so many bytes. */
export function httpHead(length: number, headers = "", status = "200 OK"): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n`
}
