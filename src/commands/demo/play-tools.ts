import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"

import { paperProfile, symbolsText } from "../../sandbox/profile.ts"
import { Fault } from "../../std/fault.ts"
import { packageRoot } from "../../std/program-files.ts"
import { paperKeys } from "../clients/client-options.ts"
import { mainVenueText } from "../init/init-texts.ts"
import type { Admin } from "../installation/admin.ts"
import { generateKey } from "../keys/keys.ts"
import type { Stage } from "./stage.ts"

/** An installation that trades at no venue, and on paper at `url`, by the policy that agents begin with. */
export function agentFiles(url: string) {
  return {
    venueText: `${mainVenueText(undefined)}${symbolsText(new Date())}`,
    paperText: paperProfile(url),
    policyText: readFileSync(join(packageRoot, "policies/agent.yaml"), "utf8"),
  }
}

/** Adds the keys that paper's stand for, and an agent that trades by paper's alone. */
export async function addAgent(admin: Admin) {
  await generateKey(admin, { name: "main", role: "wallet" })
  await generateKey(admin, { name: "mm", role: "agent", wallet: "main" })
  return admin.call("addClient", {
    name: "agent",
    keys: await paperKeys(["mm"], admin),
    rights: [],
    allowTypeB: false,
    forwardOnly: true,
  })
}

type ToolStage = Pick<Stage, "directory" | "daemonUrl"> & { readonly token: string }

/** How an agent's program starts the server: as most read it from a file. */
function serverOf({ directory, daemonUrl }: Pick<ToolStage, "directory" | "daemonUrl">) {
  const launcher = join(packageRoot, "bin/countersign.js")
  const options = ["--token-file", join(directory, "agent-token"), "--url", daemonUrl, "--paper"]
  return { command: process.execPath, args: [launcher, "mcp", ...options] }
}

function serversFile({ directory }: Pick<ToolStage, "directory">): string {
  return join(directory, "mcp.json")
}

/** How to give the same tools to another program. */
export function serverLines(stage: ToolStage): readonly string[] {
  return [
    "",
    "It stays up until Ctrl-C. For an agent's program, its server of tools is in",
    "",
    serversFile(stage),
  ]
}

type Told = Readonly<Record<string, unknown>>

/**
 * Plays an agent without a model: check, place, a refusal, cancel, by `countersign mcp` over standard input and output.
 *
 * @throws {Fault} `internal` when one of them ends in another way than it should.
 */
export async function playTools(stage: ToolStage, say: (line: string) => void): Promise<void> {
  const tools = await startTools(stage)
  const order = { symbol: "BTC-PERP", side: "buy", type: "limit", price: "63900", quantity: "0.01" }
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
    const larger = { order: { ...order, quantity: "0.05" } }
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
async function startTools(stage: ToolStage) {
  const { command, args } = serverOf(stage)
  await writeFile(join(stage.directory, "agent-token"), `${stage.token}\n`, { mode: 0o600 })
  const servers = { mcpServers: { countersign: { command, args } } }
  await writeFile(serversFile(stage), `${JSON.stringify(servers, null, 2)}\n`)
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
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
