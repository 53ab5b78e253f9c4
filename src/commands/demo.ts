import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { fetchDirect } from "../client/fetch-direct.ts"
import { sandboxProfile } from "../sandbox/profile.ts"
import { startSandbox } from "../sandbox/start-sandbox.ts"
import { sandboxChainId, sandboxServiceChain } from "../sandbox/state/market.ts"
import { Fault } from "../std/fault.ts"
import type { Installation } from "../vault/config/installation.ts"
import { command, flag } from "./cli/command.ts"
import { withStopSignal, type Terminal } from "./cli/terminal.ts"
import { startDaemon } from "./daemon/start-daemon.ts"
import { createInstallation } from "./init/create-installation.ts"
import { configText } from "./init/init-texts.ts"
import { playTools } from "./demo-tools.ts"
import { withAdmin } from "./installation/admin.ts"
import { generateKey } from "./keys/keys.ts"

/** What the demo's bot may do. */
const demoPolicy = `policy: demo
rules:
  - name: quote
    endpoints: [placeOrder]
    symbols: [BTC-PERP]
    order_types: [limit]
    max_quantity: "0.5"            # BTC
    max_notional: "40000"          # USD, at the worst price it can fill
  - name: get-out
    endpoints: [cancelOrder, cancelAll]
  - name: own-agents
    endpoints: [approveAgent]
    agent_addresses: held          # only keys that this daemon holds
    max_valid_days: 30
reads: ["/v1/trade/open-orders"]   # a bot in doubt may look
`

const ordersPath = "/v1/trade/orders"
const approvePath = "/v1/account/approve-agent"

/** The demo's story: an approval, an order, an order that policy refuses, an account operation without the wallet key. */
function demoRequests(stage: Stage) {
  const approval = demoApproval(stage)
  return [
    {
      title: "1. The wallet key approves the agent key (signing type B).",
      path: approvePath,
      key: "main",
      body: approval,
      expectedStatus: 200,
      expectedText: `"code":"0"`,
    },
    {
      title: "2. The bot places an order with the agent key (signing type A).",
      path: ordersPath,
      key: "mm",
      body: demoOrder("0.1"),
      expectedStatus: 200,
      expectedText: "order_id",
    },
    {
      title: "3. The bot asks for more than its policy allows.",
      path: ordersPath,
      key: "mm",
      body: demoOrder("0.6"),
      expectedStatus: 403,
      expectedText: "policy_denied",
    },
    {
      title: "4. The bot tries an account operation with the agent key.",
      path: approvePath,
      key: "mm",
      body: approval,
      expectedStatus: 403,
      expectedText: "wallet_key_required",
    },
  ] as const
}

/** Lines to paste into a shell while the demo stays up. */
function curlLines({ daemonUrl, token }: Stage): readonly string[] {
  const head = `curl -sS -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`
  const order = (quantity: string) => `-d '${JSON.stringify(demoOrder(quantity))}'`
  return [
    "",
    "It stays up until Ctrl-C. Lines to paste into another terminal:",
    "",
    "# place an order",
    `${head} ${daemonUrl}${ordersPath} ${order("0.2")}`,
    "# have it signed and sent back, not forwarded",
    `${head} ${daemonUrl}/sign${ordersPath} ${order("0.2")}`,
    "# ask whether it would be signed, and by which rule",
    `${head} ${daemonUrl}/check${ordersPath} ${order("0.6")}`,
    "# see what this token may do",
    `${head} ${daemonUrl}/whoami`,
  ]
}

function demoApproval({ agentAddress, walletAddress }: Stage) {
  return {
    service_chain: sandboxServiceChain,
    signature_chain_id: sandboxChainId,
    agent_address: agentAddress,
    authorized_address: walletAddress,
    valid_days: 30,
    label: "demo",
  }
}

function demoOrder(quantity: string) {
  return {
    symbol_id: 1,
    is_buy: true,
    order_type: "limit",
    price: "63000",
    quantity,
    flags: ["post_only"],
  }
}

/** What the demo plays on: sandbox and daemon, as real as any, with keys that live as long as it does. */
type Stage = {
  /** For files that go with it. */
  readonly directory: string
  readonly daemonUrl: string
  readonly sandboxUrl: string
  readonly token: string
  readonly walletAddress: string
  readonly agentAddress: string
  readonly broken: Promise<never>
  /** Ends everything and removes the temporary directory. */
  close(): Promise<void>
}

/** `countersign demo` */
export const demo = command({
  description:
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  examples: ["countersign demo", "countersign demo --once", "countersign demo --mcp"],
  options: {
    once: flag("--once", "show it and end, instead of staying up"),
    mcp: flag("--mcp", "show the tools of an agent, and end"),
  },
  run: async ({ once, mcp }, terminal) => {
    const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
    await withStopSignal(async (stopped) => {
      const stage = await openDemo(terminal)
      try {
        if (mcp) {
          await approveAgent(stage)
          await playTools(stage, say)
          return
        }
        await playDemo(stage, say)
        if (once) return
        for (const line of curlLines(stage)) say(line)
        await Promise.race([stopped, stage.broken, terminal.unread])
      } finally {
        await stage.close()
      }
    }, "SIGHUP")
    return 0
  },
})

/** Makes a temporary installation, starts sandbox and daemon, and adds two keys and a bot. */
async function openDemo(terminal: Terminal): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), "countersign-demo-"))
  const dir = join(directory, "d")
  const installation = { configDir: dir, stateDir: dir }
  const venue = await startSandbox({ port: 0 })
  const removeAll = async (): Promise<void> => {
    await venue.close()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await createInstallation({
      installation,
      configText: `${configText({ backend: "memory" })}signer_dir: ${JSON.stringify(join(directory, "signers"))}\nledger: {min_free: 0}\n`,
      venueText: sandboxProfile({ url: venue.url, asOf: new Date() }),
      policyText: demoPolicy,
      keyStore: { kind: "nothing" },
      passphraseFile: undefined,
    })
    const daemon = await startDaemon({ installation, port: 0, terminal })
    const close = async (): Promise<void> => {
      await daemon.stop("person")
      await removeAll()
    }
    return {
      ...(await addBot(installation)),
      directory,
      daemonUrl: daemon.url,
      sandboxUrl: venue.url,
      broken: daemon.broken,
      close,
    }
  } catch (error) {
    await removeAll()
    throw error
  }
}

function addBot(installation: Installation) {
  return withAdmin(installation, async (admin) => {
    const wallet = await generateKey(admin, { name: "main", role: "wallet" })
    const agent = await generateKey(admin, { name: "mm", role: "agent", wallet: "main" })
    const bot = await admin.call("addClient", {
      name: "bot",
      keys: ["mm", "main"],
      rights: [],
      allowTypeB: true,
    })
    return { token: bot.token, walletAddress: wallet.address, agentAddress: agent.address }
  })
}

/**
 * Plays the demo's requests through the daemon and says what came of each.
 *
 * @throws {Fault} `internal` when one of them ends in another way than it should.
 */
async function playDemo(stage: Stage, say: (line: string) => void): Promise<void> {
  say(
    `The daemon listens on ${stage.daemonUrl}, the sandbox plays the venue on ${stage.sandboxUrl}.`,
  )
  for (const request of demoRequests(stage)) {
    say("")
    say(request.title)
    say(`  → POST ${request.path}  ${JSON.stringify(request.body)}`)
    const { status, source, text } = await post(stage, request)
    say(`  ← ${status} from the ${source}: ${text}`)
    if (status !== request.expectedStatus || !text.includes(request.expectedText)) {
      throw new Fault(
        "internal",
        `The demo expected ${request.expectedStatus} with ${request.expectedText}.`,
      )
    }
    const where = refusedWhere(text)
    if (where !== undefined) say(`    refused by ${where}`)
  }
}

/** As the wallet key's owner does, before an agent has anything to trade by. */
async function approveAgent(stage: Stage): Promise<void> {
  const [approval] = demoRequests(stage)
  const { status, text } = await post(stage, approval)
  if (status !== approval.expectedStatus) throw new Fault("internal", `Not approved: ${text}`)
}

async function post(stage: Stage, { path, body, key }: ReturnType<typeof demoRequests>[number]) {
  const response = await fetchDirect(`${stage.daemonUrl}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${stage.token}`,
      "Content-Type": "application/json",
      "Countersign-Key": key,
    },
    body: JSON.stringify(body),
  })
  const source = response.headers.get("Countersign-Source") ?? "unknown"
  return { status: response.status, source, text: await response.text() }
}

function refusedWhere(text: string): string | undefined {
  const { data } = JSON.parse(text) as {
    data: { file?: string; line?: number; rule?: string } | null
  }
  if (data?.file === undefined || data.line === undefined) return undefined
  return `rule ${data.rule ?? ""}, ${data.file}:${data.line}`
}
