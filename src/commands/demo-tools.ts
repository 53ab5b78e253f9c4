import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { Fault } from "../std/fault.ts"
import { packageRoot } from "../std/program-files.ts"

/** Where the demo's daemon is, and a directory of its own. */
type ToolStage = { readonly daemonUrl: string; readonly token: string; readonly directory: string }

type Told = Readonly<Record<string, unknown>>

/**
 * Plays an agent without a model: check, place, a refusal, cancel, by `countersign mcp` over standard input and output.
 *
 * @throws {Fault} `internal` when one of them ends in another way than it should.
 */
export async function playTools(stage: ToolStage, say: (line: string) => void): Promise<void> {
  const tools = await startTools(stage)
  const order = { symbol: "BTC-PERP", side: "buy", type: "limit", price: "63000", quantity: "0.1" }
  const call = async (title: string, name: string, input: Told): Promise<Told> => {
    for (const line of ["", title, `  → ${name} ${JSON.stringify(input)}`]) say(line)
    const told = await tools.call(name, input)
    say(`  ← ${JSON.stringify(told)}`)
    return told
  }
  try {
    const { check } = await call("1. The agent asks what would come of an order.", "check_order", {
      order,
    })
    const placing = { check, order }
    const placed = await call("2. It places what was checked.", "place_order", placing)
    expect(placed["ok"] === true && placed["repeated"] === false)
    const again = await call("3. It does so again: no second order.", "place_order", placing)
    expect(again["repeated"] === true)
    const larger = { order: { ...order, quantity: "0.6" } }
    const refused = await call("4. It asks for more than its policy allows.", "check_order", larger)
    expect(refused["would_sign"] === false)
    const { order_id } = placed
    const cancelled = await call("5. It cancels its order.", "cancel_order", { order_id })
    expect(cancelled["ok"] === true)
  } finally {
    await tools.end()
  }
}

function expect(isSo: boolean): void {
  if (!isSo) throw new Fault("internal", "The demo expected another answer.")
}

/** Starts the server as an agent's program does, and speaks the least of the protocol to it. */
async function startTools({ daemonUrl, token, directory }: ToolStage) {
  const file = join(directory, "agent-token")
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  const launcher = join(packageRoot, "bin/countersign.js")
  const args = ["mcp", "--token-file", file, "--url", daemonUrl]
  const server = spawn(process.execPath, [launcher, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = once(server, "close")
  server.stdin.on("error", () => undefined) // it has said why on standard error
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  const send = (message: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  let id = 0
  const ask = async (method: string, params: object): Promise<Told> => {
    id += 1
    send({ id, method, params })
    const { value, done } = await lines.next()
    if (done === true) throw new Fault("internal", "The server of tools has ended.")
    return (JSON.parse(value) as { readonly result: Told }).result
  }
  const clientInfo = { name: "demo", version: "1" }
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  send({ method: "notifications/initialized" })
  return {
    call: async (name: string, input: Told) =>
      (await ask("tools/call", { name, arguments: input }))["structuredContent"] as Told,
    end: async () => {
      server.stdin.end()
      await ended
    },
  }
}
