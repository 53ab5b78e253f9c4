import type { Socket } from "node:net"

import { codeOf } from "../../std/fs/private-file.ts"
import { lacks, type Lack } from "./why-lost.ts"

/**
 * Waits for `event`. Resolves to `undefined` once it is there, else to why it doesn't come: an error, the connection's end,
 * or `ms` of silence. The caller then destroys the socket.
 */
export function arrival(
  socket: Socket,
  event: "connect" | "readable" | "secureConnect",
  ms: number,
): Promise<Lack | undefined> {
  return new Promise((resolve) => {
    const settle = (lack?: Lack): void => {
      clearTimeout(timer)
      resolve(lack)
    }
    const timer = setTimeout(settle, ms, lacks.silent)
    socket.once(event, () => settle())
    socket.once("error", (error) => settle(codeOf(error) ?? error.name))
    socket.once("close", () => settle(lacks.ended))
  })
}

/** Waits until nothing more comes from a socket, and resolves to why. */
export function ending(socket: Socket): Promise<Lack> {
  return new Promise((resolve) => {
    socket.once("end", () => resolve(lacks.ended))
    socket.once("error", (error) => resolve(codeOf(error) ?? error.name))
    socket.once("close", () => resolve(lacks.ended))
  })
}
