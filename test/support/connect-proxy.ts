import { createServer, type IncomingMessage } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import type { TestContext } from "node:test"

/** A proxy that tunnels, as the one at the edge of a company's network does. */
export type ConnectProxy = {
  readonly url: string
  /** The head of every request that it got, as it came. */
  readonly asked: readonly string[]
  /** What went through its tunnels towards the venue, as it saw it. */
  bytes(): string
}

export type ConnectProxyScript = {
  /** In place of the answer `200` and a tunnel. */
  readonly onConnect?: (socket: Socket, target: string) => void
  /** Runs when the tunnel's first bytes, TLS's, have come. */
  readonly onFirstBytes?: (socket: Socket) => void
}

/** Runs it on a free port until the test ends. */
export async function startConnectProxy(
  t: Pick<TestContext, "after">,
  { onConnect = tunnel, onFirstBytes }: ConnectProxyScript = {},
): Promise<ConnectProxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const chunks: Buffer[] = []
  const server = createServer((request, response) => {
    asked.push(headOf(request))
    response.writeHead(400).end()
  })
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
  })
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push(headOf(request))
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    if (onFirstBytes !== undefined) socket.once("data", () => onFirstBytes(socket))
    onConnect(socket, request.url ?? "")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    bytes: () => Buffer.concat(chunks).toString("latin1"),
  }
}

function tunnel(socket: Socket, target: string): void {
  const { hostname, port } = new URL(`tcp://${target}`)
  const venue = connect({ host: hostname, port: Number(port) })
  venue.on("error", () => socket.destroy())
  venue.on("close", () => socket.destroy())
  socket.on("close", () => venue.destroy())
  venue.once("connect", () => {
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    socket.pipe(venue).pipe(socket)
  })
}

function headOf({ method = "", url = "", rawHeaders }: IncomingMessage): string {
  const pairs = rawHeaders.map((word, index) => (index % 2 === 0 ? `${word}: ` : `${word}\n`))
  return `${method} ${url}\n${pairs.join("")}`
}
