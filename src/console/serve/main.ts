// The console's server: a process of its own, which `countersign console` starts with its flags and two pipes. On
// descriptor 3 it asks the command, and standard input brings the secrets of links, one a line. All that it is made of is
// loaded before it gives up root's rights, for the user that it becomes may not be able to read it.

import type { AddressInfo } from "node:net"
import { Socket } from "node:net"
import { uptime } from "node:os"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"

import { SharedConnections } from "../../std/shared-connections.ts"
import { askOver, consoleCalls, type ConsoleConnections, maxConnections } from "./calls.ts"
import { dropRights } from "./drop-rights.ts"
import { consoleServer } from "./http-server.ts"
import { readAssets } from "./read-assets.ts"
import { openConsoleLink, openSessions } from "./sessions.ts"

const option = { type: "string" } as const
const { values } = parseArgs({
  options: { port: option, uid: option, gid: option, release: { type: "boolean", default: false } },
})

const assets = await readAssets()
if (process.getuid?.() === 0) dropRights({ uid: Number(values.uid), gid: Number(values.gid) })

// The time of a suspend counts.
const nowMs = (): number => uptime() * 1_000
const link = openConsoleLink(nowMs)
// Whatever ends the command closes its pipe.
const ask = askOver(new Socket({ fd: 3, readable: true, writable: true }), () => process.exit(0))
const sessions = openSessions(nowMs)
const connections: ConsoleConnections = new SharedConnections(maxConnections)
const mayRelease = values.release
const calls = consoleCalls({ ask, link, sessions, connections, nowMs, mayRelease })
const server = consoleServer(assets, calls, connections)
server.on("error", ({ code = "EUNKNOWN" }: NodeJS.ErrnoException) => {
  void ask("listening", { refused: code })
})
server.listen(Number(values.port), "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo // a TCP server that listens has one
  void ask("listening", { port })
})
createInterface({ input: process.stdin }).on("line", (secret) => link.make(secret))
