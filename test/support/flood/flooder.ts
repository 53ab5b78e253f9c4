// A process that floods: reads a FloodAsk on stdin, says "flooding", and prints a Flooded when stdin ends.

import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"
import { setTimeout as after } from "node:timers/promises"

import { floods, type Flood, type FloodName, type Tokens } from "./floods.ts"

export type FloodAsk = { readonly port: number; readonly name: FloodName; readonly tokens: Tokens }
/** What was sent, and what came back by status. */
export type Flooded = { readonly sent: number; readonly statuses: Readonly<Record<string, number>> }

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const ask = JSON.parse((await lines.next()).value ?? "") as FloodAsk // of run-flood.ts
const flood: Flood = floods[ask.name]
const flooded = { sent: 0, statuses: {} as Record<string, number> }
let isOver = false
process.stdout.write("flooding\n")
const flooding = run()
await lines.next()
isOver = true
await flooding
process.stdout.write(`${JSON.stringify(flooded)}\n`)
process.exit(0)

type Peer = { socket: Socket; isFree: boolean }

/** What is due goes out at each tick, on connections that are free: one that was cut is opened anew. */
async function run(): Promise<void> {
  const peers: Peer[] = []
  const startMs = performance.now()
  let due = 0
  while (!isOver) {
    for (
      const allowed = (performance.now() - startMs) * (flood.perSecond / 1_000);
      due < allowed;
    ) {
      const peer = freePeer(peers)
      if (peer === undefined) {
        due = allowed // what nobody could send isn't sent later
        break
      }
      due += 1
      send(peer)
    }
    await after(1)
  }
}

function freePeer(peers: Peer[]): Peer | undefined {
  const index = peers.findIndex(({ socket, isFree }) => isFree || socket.destroyed)
  const known = index === -1 ? undefined : peers.splice(index, 1)[0]
  const peer = known ?? (peers.length < flood.connections ? open() : undefined)
  if (peer === undefined) return undefined
  if (peer.socket.destroyed) Object.assign(peer, open())
  peers.push(peer)
  return peer
}

function open(): Peer {
  const socket = connect({ host: "127.0.0.1", port: ask.port, noDelay: true })
  const peer: Peer = { socket, isFree: flood.how !== "held" }
  let text = ""
  socket.setEncoding("latin1")
  socket.on("error", () => undefined)
  socket.on("data", (chunk: string) => {
    text += chunk
    const [, status = "", length = ""] =
      /^HTTP\/1\.1 (\d{3})[^]*?content-length: (\d+)/i.exec(text) ?? []
    const head = text.indexOf("\r\n\r\n")
    if (length === "" || head === -1 || text.length < head + 4 + Number(length)) return
    flooded.statuses[status] = (flooded.statuses[status] ?? 0) + 1
    text = ""
    peer.isFree = true
  })
  return peer
}

function send(peer: Peer): void {
  const text = flood.request(flooded.sent, ask.tokens).replaceAll("PORT", String(ask.port))
  flooded.sent += 1
  peer.isFree = false
  peer.socket.write(text)
}
