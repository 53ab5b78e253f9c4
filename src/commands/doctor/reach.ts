import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

export type Reached =
  { readonly kind: "reached" } | { readonly kind: "failed"; readonly code: string }

/** How long a connection may take. */
const longestWaitMs = 3_000

/** Connects, over TLS where the URL is https, and hangs up without a request. */
export function reach(url: URL, limitMs = longestWaitMs): Promise<Reached> {
  const isTls = url.protocol === "https:"
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const port = Number(url.port === "" ? (isTls ? 443 : 80) : url.port)
  const socket = isTls
    ? // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise, as the gate does.
      connectTls({ host, port, servername: isIP(host) === 0 ? host : "", rejectUnauthorized: true })
    : connectTcp({ host, port })
  return settled(socket, isTls ? "secureConnect" : "connect", limitMs)
}

function settled(socket: Socket, connected: string, limitMs: number): Promise<Reached> {
  return new Promise((resolve) => {
    const settle = (reached: Reached): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(reached)
    }
    const timer = setTimeout(() => settle({ kind: "failed", code: "ETIMEDOUT" }), limitMs)
    socket.once(connected, () => settle({ kind: "reached" }))
    socket.on("error", (error: NodeJS.ErrnoException) =>
      settle({ kind: "failed", code: error.code ?? error.name }),
    )
  })
}
