// Stands in for the console's server in a checkout of a test: it was broken into, and asks for what it may not have.

import { Socket } from "node:net"

const pipe = new Socket({ fd: 3, readable: true, writable: true })
const say = (id: number, method: string, params: object): void =>
  void pipe.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)

process.stderr.write("\nhttp://127.0.0.1:9/#mine\n")
pipe.on("close", () => process.exit(0))
pipe.setEncoding("utf8").on("data", (answers: string) => process.stderr.write(`heard ${answers}`))
say(1, "freeze", { reason: "what it may do" })
say(2, "thaw", { scope: "everything", name: null })
say(3, "look", {})
