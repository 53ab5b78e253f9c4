import { readFileSync } from "node:fs"
import { createServer, type AddressInfo, type Socket } from "node:net"
import type { TestContext } from "node:test"
import {
  createServer as createTlsServer,
  type Server as TlsServer,
  type TlsOptions,
  type TLSSocket,
} from "node:tls"

import type { Certificates } from "./certificates.ts"

export type DoorAsk = {
  /** The server's own, and the authority whose clients it lets in. */
  readonly certificates: Certificates
  readonly tls?: TlsOptions
  /** A free one if left out. */
  readonly port?: number
  /** In place of the answer to a client's request for TLS, and of all that follows. */
  readonly onAsked?: (socket: Socket) => void
  /** Whether a client's end leaves the server talking; if not, the server ends too, as PostgreSQL does. */
  readonly allowHalfOpen?: boolean
  /** Takes what came through TLS, from a client whose certificate was verified. */
  readonly onClient?: (client: TLSSocket) => void
}

/** The way in to a PostgreSQL server: TCP, the request for TLS, TLS. What goes on behind it is the test's. */
export type Door = {
  readonly port: number
  /** For relay.yaml. */
  readonly address: string
  /** Connections over TCP, since the start and now. */
  counts(): { readonly all: number; readonly now: number }
  /** Ends all connections, and refuses new ones. */
  close(): Promise<void>
}

/** What a client sends first (PostgreSQL, "Message Formats": SSLRequest). */
export const sslRequest = "0000000804d2162f"

/** Opens a door on 127.0.0.1 until the test ends. */
export async function openDoor(t: TestContext, ask: DoorAsk): Promise<Door> {
  const sockets = new Set<Socket>()
  const inner = innerServer(ask)
  const counts = { all: 0, now: 0 }
  const { allowHalfOpen = false } = ask
  const server = createServer({ allowHalfOpen }, (socket) => {
    sockets.add(socket)
    counts.all += 1
    counts.now += 1
    socket.on("error", () => undefined)
    socket.on("close", () => (counts.now -= 1))
    socket.once("data", (bytes) => {
      if (bytes.toString("hex") !== sslRequest) socket.destroy()
      else if (ask.onAsked === undefined) takeIn(socket, inner)
      else ask.onAsked(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(ask.port ?? 0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  t.after(close)
  return { port, address: `localhost:${port}`, counts: () => ({ ...counts }), close }
}

function takeIn(socket: Socket, inner: TlsServer): void {
  socket.pause()
  socket.write("S")
  inner.emit("connection", socket)
}

/** Doesn't listen itself: it is handed connections whose client may begin with TLS. */
function innerServer({ certificates, tls, onClient }: DoorAsk): TlsServer {
  const { ca, serverCertificate, serverKey } = certificates
  const inner = createTlsServer(
    {
      ...{ ca: readFileSync(ca), cert: readFileSync(serverCertificate) },
      key: readFileSync(serverKey),
      ...{ requestCert: true, rejectUnauthorized: true },
      ALPNProtocols: ["postgresql"],
      ...tls,
    },
    (client) => {
      client.on("error", () => undefined)
      onClient?.(client)
    },
  )
  inner.on("tlsClientError", () => undefined)
  return inner
}
