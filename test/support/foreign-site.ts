import { createServer } from "node:http"
import { readFile } from "node:fs/promises"
import type { AddressInfo } from "node:net"

/** A server of somebody else's on 127.0.0.1, whose pages try to get at a console. */
export type ForeignSite = {
  readonly port: number
  /** The cookies that came with a request for this path, or `undefined` while none came. */
  cookiesAt(path: string): string | undefined
  close(): void
}

/** Starts it on a free port. Every path is a page with `attempts` and `tryAll` of elsewhere.js. */
export async function startForeignSite(): Promise<ForeignSite> {
  const script = await readFile(new URL("./elsewhere.js", import.meta.url))
  const cookies = new Map<string, string>()
  const server = createServer(({ url = "", headers }, response) => {
    cookies.set(url, headers.cookie ?? "")
    const isScript = url === "/elsewhere.js"
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8")
    response.end(isScript ? script : foreignPage)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  return {
    port,
    cookiesAt: (path) => cookies.get(path),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A page that serves nobody well. */
export const foreignPage = `<!doctype html><title>Elsewhere</title><body>
<script src="/elsewhere.js"></script>`
