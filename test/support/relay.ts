import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** What stands between the daemon and the venue. */
export type Relay = {
  readonly url: string
  /** Answers the next request in the venue's place, once the venue has answered it. */
  interceptNext(answer: (toDaemon: Socket) => void): void
  /** Ends all connections, and refuses new ones. */
  close(): Promise<void>
}

/** Passes bytes on to a port of 127.0.0.1 and back. */
export async function startRelay(targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  let intercept: ((toDaemon: Socket) => void) | undefined
  const server = createServer((toDaemon) => {
    const toVenue = connect({ port: targetPort, host: "127.0.0.1" })
    for (const [socket, other] of [
      [toDaemon, toVenue],
      [toVenue, toDaemon],
    ] as const) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => other.destroy())
    }
    toDaemon.on("data", (chunk) => toVenue.write(chunk))
    toVenue.on("data", (chunk) => {
      const answer = intercept ?? ((socket) => void socket.write(chunk))
      intercept = undefined
      answer(toDaemon)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}`,
    interceptNext: (answer) => (intercept = answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
