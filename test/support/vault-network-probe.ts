// Is the vault, started as its supervisor starts it, and tries the network once it says that it is ready.
// Prints what came of each attempt, then ends.

import { once } from "node:events"
import { connect, createServer } from "node:net"
import { fileURLToPath } from "node:url"

type Message = { readonly type: string; readonly message?: string }

const tcpPort = Number(process.env["PROBE_TCP_PORT"])
const adminSocket = process.env["PROBE_ADMIN_SOCKET"] ?? ""

process.send = (message: Message) => {
  void report(message)
  return true
}
await import("../../src/vault/main.ts")

async function report(message: Message) {
  const results = {
    said: message.message ?? message.type,
    connect: await codeOf(async () => {
      await once(connect(tcpPort, "127.0.0.1"), "connect")
    }),
    listen: await codeOf(async () => {
      const server = createServer()
      server.listen(0) // without a host it throws here and now where it is forbidden
      await once(server, "listening")
    }),
    unix: await codeOf(async () => {
      await once(connect(adminSocket), "connect")
    }),
    spawn: await codeOf(async () => {
      const { spawnSync } = await import("node:child_process")
      const { error } = spawnSync("/bin/true")
      if (error !== undefined) throw error
    }),
    addon: await codeOf(async () => {
      process.dlopen({ exports: {} }, fileURLToPath(new URL("no-addon.node", import.meta.url)))
      await Promise.resolve()
    }),
    thread: await codeOf(async () => {
      const { Worker } = await import("node:worker_threads")
      await once(new Worker("", { eval: true }), "exit")
    }),
    writeOutside: await codeOf(async () => {
      const { writeFile } = await import("node:fs/promises")
      await writeFile(new URL("written-by-probe", import.meta.url), "")
    }),
  }
  console.log(JSON.stringify(results))
  process.exit(0)
}

async function codeOf(attempt: () => Promise<void>): Promise<string> {
  try {
    await attempt()
    return "done"
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error)
  }
}
