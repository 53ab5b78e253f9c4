import { join } from "node:path"

import { startServer, type Server } from "../start-server.ts"

const program = join(import.meta.dirname, "floor-server.ts")

/** Starts a server of Node that does nothing but read a JSON body and answer. */
export function startFloor(kind: "http" | "express" | "venue"): Promise<Server> {
  return startServer(process.execPath, [program, kind])
}
