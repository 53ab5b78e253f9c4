// `node chain.ts SOCKET` answers HTTP by the daemon's hops, and does nothing at any of them: a gate, a second process behind
// a Unix socket, a thread of that, and back. What is left of a signature's time is work.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer as createHttp, type ServerResponse } from "node:http"
import { connect, createServer, type AddressInfo } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

import { signedBody } from "../order.ts"
import { lines } from "./lines.ts"

const [, program = "", socketPath = "", role = "gate"] = process.argv

if (!isMainThread) runThread()
else if (role === "vault") runVault()
else await runGate()

async function runGate(): Promise<void> {
  const vault = spawn(process.execPath, [...process.execArgv, program, socketPath, "vault"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  process.once("SIGTERM", () => {
    vault.kill()
    process.exit()
  })
  await once(vault.stdout, "data")
  const waiting: ServerResponse[] = []
  const ask = lines(connect(socketPath), (line) => {
    const response = waiting.shift()
    response?.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(line),
    })
    response?.end(line)
  })
  const server = createHttp({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      waiting.push(response)
      ask(Buffer.concat(chunks).toString())
    })
  })
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  })
}

function runVault(): void {
  const thread = new Worker(program)
  const server = createServer((socket) => {
    const send = lines(socket, (line) => thread.postMessage(line))
    thread.on("message", () => send(signedBody))
  })
  server.listen(socketPath, () => process.stdout.write("ready"))
}

function runThread(): void {
  parentPort?.on("message", (line) => parentPort?.postMessage(line))
}
