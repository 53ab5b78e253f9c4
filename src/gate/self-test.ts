import type { Server } from "node:http"
import { duplexPair } from "node:stream"
import { text } from "node:stream/consumers"

const request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

/**
 * Whether `http` answers a request for `/healthz` with 200 in time. The connection is made in memory, and
 * taken as if it had come in: a gate that answers nobody must not seem alive because its timers run.
 */
export async function answersItself(http: Server, deadlineMs: number): Promise<boolean> {
  const [client, served] = duplexPair()
  const deadline = setTimeout(() => client.destroy(), deadlineMs)
  try {
    http.emit("connection", served)
    client.write(request)
    return (await text(client)).startsWith("HTTP/1.1 200 ")
  } catch {
    return false
  } finally {
    clearTimeout(deadline)
    client.destroy()
    served.destroy()
  }
}
