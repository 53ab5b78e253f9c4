import { request } from "node:http"
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"

import { shellWord } from "../../std/visible.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

/** Whether the venue can be sent to: that `base_url` is set, and that somebody answers there, over TLS where it is https. */
export async function upstreamFinding(
  at: { readonly baseUrl: string | undefined; readonly venueFile: string },
  reach: (url: URL) => Promise<Reached>,
): Promise<Finding> {
  const { baseUrl, venueFile } = at
  if (baseUrl === undefined) {
    return warn(
      "upstream",
      "base_url isn't set, so nothing can be forwarded: /sign works, and /v1 answers 501.",
      `add base_url to ${shellWord(venueFile)}`,
    )
  }
  const url = new URL(baseUrl)
  const reached = await reach(url)
  if (reached.kind === "reached") {
    return ok(
      "upstream",
      `${url.origin} takes connections${url.protocol === "https:" ? ", and its certificate is valid" : ""}.`,
    )
  }
  const isSandbox = url.protocol === "http:" && reached.code === "ECONNREFUSED"
  return fail(
    "upstream",
    `${url.origin} ${words(reached.code)}.`,
    isSandbox ? `countersign sandbox --port ${url.port}` : fixOf(url, reached.code),
  )
}

/** What the commonest errors mean; the others are told by their code. */
const meanings: ReadonlyMap<string, string> = new Map([
  ["ENOTFOUND", "has a host name that nobody knows"],
  ["EAI_AGAIN", "couldn't be looked up: no name server answers"],
  ["ECONNREFUSED", "refuses connections"],
  ["ETIMEDOUT", "doesn't answer"],
  ["ENETUNREACH", "can't be reached: there is no route to it"],
  ["EHOSTUNREACH", "can't be reached: there is no route to it"],
  ["CERT_HAS_EXPIRED", "shows a certificate that has expired"],
  ["CERT_NOT_YET_VALID", "shows a certificate that isn't valid yet"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "shows a certificate for another name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "shows a certificate that no known authority signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "shows a certificate that no known authority signed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "shows a certificate that no known authority signed"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "shows a certificate that no known authority signed"],
])

function words(code: string): string {
  const atProxy = /^PROXY_(.*)$/.exec(code)?.[1]
  if (atProxy !== undefined) return `can't be reached through upstream.proxy (${atProxy})`
  return meanings.get(code) ?? `can't be reached (${code})`
}

function fixOf(url: URL, code: string): string {
  const host = shellWord(url.hostname)
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `getent hosts ${host}`
  return `curl -v ${shellWord(url.origin)}`
}

export type Reached =
  { readonly kind: "reached" } | { readonly kind: "failed"; readonly code: string }

/** How long a connection may take. */
const longestWaitMs = 3_000

type Way = {
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
