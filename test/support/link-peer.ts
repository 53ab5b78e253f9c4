import { mkdtempSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A fresh directory that only its owner reads, and the way to remove it. */
export function temporaryDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "cs-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }) }
}

/** A connection that speaks bytes, to say what no proper client would. */
export type RawPeer = {
  readonly socket: Socket
  send(text: string | Buffer): void
  /** The next line that the other side sends, or `undefined` when it closes instead. */
  line(): Promise<string | undefined>
  /** All that is sent from here on, once the other side has closed. */
  rest(): Promise<string>
  /** Resolves when the other side has closed. */
  closed(): Promise<void>
}

/** Connects to a Unix socket path, or to a TCP port on 127.0.0.1. */
export async function connectRaw(target: string | number): Promise<RawPeer> {
  const socket =
    typeof target === "string" ? connect(target) : connect({ port: target, host: "127.0.0.1" })
  let text = ""
  let isClosed = false
  const wakes = new Set<() => void>()
  const wake = (): void => {
    for (const call of wakes) call()
    wakes.clear()
  }
  socket.setEncoding("utf8")
  socket.on("data", (chunk: string) => {
    text += chunk
    wake()
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    isClosed = true
    wake()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve)
    socket.once("error", reject)
  })
  const change = (): Promise<void> => new Promise((resolve) => wakes.add(resolve))

  return {
    socket,
    send: (bytes) => void socket.write(bytes),
    async line() {
      while (!text.includes("\n") && !isClosed) await change()
      const end = text.indexOf("\n")
      if (end === -1) return undefined
      const line = text.slice(0, end)
      text = text.slice(end + 1)
      return line
    },
    async rest() {
      while (!isClosed) await change()
      return text
    },
    async closed() {
      while (!isClosed) await change()
    },
  }
}
