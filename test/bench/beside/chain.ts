// `node chain.ts SOCKET` answers HTTP by the daemon's hops, and does nothing at any of them: a gate, a second process behind
// a Unix socket, a thread of that, and back. What is left of a signature's time is work.
import { createServer } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"

import { signedBody } from "../order.ts"
import { runLeastGate } from "./least-gate.ts"
import { lines } from "./lines.ts"

const [, program = "", socketPath = "", role = "gate"] = process.argv

if (!isMainThread) runThread()
else if (role === "vault") runVault()
else await runLeastGate({ program, file: socketPath, socketPath })

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
