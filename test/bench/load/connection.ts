import { once } from "node:events"
import { connect } from "node:net"

export type Connection = {
  /** Sends a request and waits for the whole answer. @throws when it isn't 200. */
  ask(request: Buffer): Promise<void>
  close(): void
}

/** A kept-alive connection that reads no more of HTTP/1.1 than how long an answer is. */
export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, "connect")
  let received = ""
  let answered: ((answer: string) => void) | undefined
  let failed: ((error: Error) => void) | undefined
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    received += chunk
    if (received.length < lengthOf(received)) return
    const answer = received
    received = ""
    answered?.(answer)
  })
  const fail = (): void => failed?.(new Error("the server closed a connection"))
  socket.on("error", fail).on("close", fail)
  return {
    async ask(request) {
      const answer = await new Promise<string>((resolve, reject) => {
        ;[answered, failed] = [resolve, reject]
        if (socket.writable) socket.write(request)
        else fail()
      })
      if (!answer.startsWith("HTTP/1.1 200 ")) throw new Error(`answered ${answer}`)
    },
    close: () => socket.removeAllListeners().destroy(),
  }
}

/** Asks on a connection for one of `posts` after the other, over and over. */
export function askInTurn(
  connection: Connection,
  posts: readonly string[],
): (turn: number) => Promise<void> {
  const bytes = posts.map((post) => Buffer.from(post))
  return (turn) => connection.ask(bytes[turn % bytes.length] ?? Buffer.alloc(0))
}

/** Infinite as long as the headers aren't whole. */
function lengthOf(received: string): number {
  const headersEnd = received.indexOf("\r\n\r\n")
  if (headersEnd < 0) return Number.POSITIVE_INFINITY
  const [, length] = /^content-length: *(\d+)/im.exec(received.slice(0, headersEnd)) ?? []
  if (length === undefined) throw new Error("an answer doesn't say how long it is")
  return headersEnd + 4 + Number(length)
}
