import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { connect, type AddressInfo } from "node:net"

import { lines } from "./lines.ts"

/**
 * Serves HTTP by a second process, which `program` is too: with `file` and the word `vault` it is the other side of
 * `socketPath`, and prints something once it listens there. It answers a body with a line, in their order.
 */
export async function runLeastGate({
  program,
  file,
  socketPath,
}: Readonly<Record<"program" | "file" | "socketPath", string>>): Promise<void> {
  const flags = process.execArgv
  const vault = spawn(process.execPath, [...flags, program, file, "vault"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  process.once("SIGTERM", () => {
    vault.kill()
    process.exit()
  })
  await once(vault.stdout, "data")
  const waiting: ServerResponse[] = []
  const link = lines(connect(socketPath), (line) => {
    const response = waiting.shift()
    response?.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(line),
    })
    response?.end(line)
  })
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      waiting.push(response)
      link(Buffer.concat(chunks).toString())
    })
  })
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  })
}
