import { request } from "node:http"
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

export type Reached =
  { readonly kind: "reached" } | { readonly kind: "failed"; readonly code: string }

/** How long a connection may take. */
const longestWaitMs = 3_000

export type Way = {
  readonly limitMs?: number
  /** PEM of the authorities to trust in place of the system's. */
  readonly ca?: string | null
  /** Where connections over TLS are tunnelled through. */
  readonly proxy?: string | null
}

/** Connects as the gate does, over TLS where the URL is https, and hangs up without a request. */
export async function reach(url: URL, way: Way = {}): Promise<Reached> {
  const { limitMs = longestWaitMs, proxy = null } = way
  const isTls = url.protocol === "https:"
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const port = portOf(url)
  if (!isTls) return settled(connectTcp({ host, port }), "connect", limitMs)
  if (proxy === null) return settled(overTls({ host, port }, way), "secureConnect", limitMs)
  const tunnel = await openTunnel(proxy, `${url.hostname}:${port}`, limitMs)
  return typeof tunnel === "string"
    ? { kind: "failed", code: tunnel }
    : settled(overTls({ host, socket: tunnel }, way), "secureConnect", limitMs)
}

function portOf({ port, protocol }: URL): number {
  if (port !== "") return Number(port)
  return protocol === "https:" ? 443 : 80
}

function overTls(
  to: { readonly host: string } & ({ readonly port: number } | { readonly socket: Socket }),
  { ca = null }: Way,
): Socket {
  return connectTls({
    ...to,
    ...(ca !== null && { ca }),
    servername: isIP(to.host) === 0 ? to.host : "",
    // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise, as the gate does.
    rejectUnauthorized: true,
  })
}

/** A connection through the proxy, or the code of why there is none. */
function openTunnel(proxy: string, target: string, limitMs: number): Promise<Socket | string> {
  return new Promise((resolve) => {
    const asked = request(proxy, { method: "CONNECT", path: target, agent: false })
    const timer = setTimeout(() => asked.destroy(new Error("no answer")), limitMs)
    const settle = (tunnel: Socket | string): void => {
      clearTimeout(timer)
      resolve(tunnel)
    }
    asked.once("connect", ({ statusCode }, socket: Socket) => {
      if (statusCode !== 200) socket.destroy()
      settle(statusCode === 200 ? socket : `PROXY_ANSWERED_${statusCode ?? 0}`)
    })
    asked.once("response", ({ statusCode }) => {
      asked.destroy()
      settle(`PROXY_ANSWERED_${statusCode ?? 0}`)
    })
    asked.on("error", ({ code = "NO_ANSWER" }: NodeJS.ErrnoException) => settle(`PROXY_${code}`))
    asked.end()
  })
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
