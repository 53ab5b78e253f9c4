import type { Socket } from "node:net"

import { codeOf } from "../../std/private-file.ts"
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
      socket.off(event, onEvent).off("error", onError).off("close", onClose)
      resolve(lack)
    }
    const onEvent = (): void => settle()
    const onError = (error: Error): void => settle(codeOf(error) ?? error.name)
    const onClose = (): void => settle(lacks.ended)
    const timer = setTimeout(settle, ms, lacks.silent)
    socket.on(event, onEvent).on("error", onError).on("close", onClose)
  })
}

/** An error that nobody listens to would end the process. Whoever waits for something of the socket hears of it too. */
export function withoutUnheardErrors<Some extends Socket>(socket: Some): Some {
  // Two pipelines and those who wait for the end are more than the 10 at which Node suspects a leak.
  return socket.setMaxListeners(20).on("error", () => undefined)
}

/** Waits until nothing more comes from a socket, and resolves to why. */
export function ending(socket: Socket): Promise<Lack> {
  return new Promise((resolve) => {
    socket.once("end", () => resolve(lacks.ended))
    socket.once("error", (error) => resolve(codeOf(error) ?? error.name))
    socket.once("close", () => resolve(lacks.ended))
  })
}
