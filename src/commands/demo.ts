import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { fetchDirect } from "../client/fetch-direct.ts"
import { sandboxProfile } from "../sandbox/profile.ts"
import { startSandbox } from "../sandbox/start-sandbox.ts"
import { Fault } from "../std/fault.ts"
import type { Installation } from "../vault/config/installation.ts"
import { command } from "./cli/command.ts"
import { flag } from "./cli/options.ts"
import { withStopSignal } from "./cli/signals.ts"
import type { Terminal } from "./cli/terminal.ts"
import { startDaemon } from "./daemon/start-daemon.ts"
import { curlLines, demoPolicy, demoRequests, type Stage, type DemoRequest } from "./demo-texts.ts"
import { createInstallation } from "./init/create-installation.ts"
import { configText } from "./init/init-texts.ts"
import { withAdmin } from "./installation/with-vault.ts"
import { generateKey } from "./keys/generate.ts"

/** `countersign demo` */
export const demo = command({
  description:
    "run sandbox and daemon with throw-away keys, and show an order signed and one refused",
  examples: ["countersign demo", "countersign demo --once"],
  options: { once: flag("--once", "show it and end, instead of staying up") },
  run: async ({ once }, terminal) => {
    const say = (line: string): void => void terminal.stdout.write(`${line}\n`)
    await withStopSignal(async (stopped) => {
      const stage = await openDemo(terminal)
      try {
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

async function post(stage: Stage, { path, body, key }: DemoRequest) {
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
