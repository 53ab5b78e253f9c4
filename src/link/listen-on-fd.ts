import type { Server } from "node:net"

import { Fault } from "../std/fault.ts"

/**
 * Listens on a socket that whoever started this process opened and owns: its file stays when it is closed
 * here, and connections wait in its queue until the next process takes them.
 *
 * @throws {Fault} `usage` when `fd` is no socket that can listen.
 */
export function listenOnFd(server: Server, fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(
        new Fault("usage", `Descriptor ${fd} was handed over and isn't a socket to listen on.`, {
          cause,
        }),
      ),
    )
    server.listen({ fd }, resolve)
  })
}
