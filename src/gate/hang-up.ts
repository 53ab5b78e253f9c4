import type { IncomingMessage } from "node:http"

/** Calls back once the connection is gone that a request came on, unless what it returns was called before. */
export function onHangUp({ socket }: IncomingMessage, tell: () => void): () => void {
  if (socket.destroyed) {
    tell()
    return () => undefined
  }
  // Many requests can wait on one connection.
  socket.setMaxListeners(socket.getMaxListeners() + 1)
  socket.once("close", tell)
  return () => {
    socket.off("close", tell)
    socket.setMaxListeners(socket.getMaxListeners() - 1)
  }
}
