import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { memoryFlags } from "../../../src/commands/daemon/process-flags.ts"
import { pathsOf } from "../../../src/vault/config/installation.ts"
import { repositoryRoot } from "../../support/markdown.ts"
import type { Case, Subject } from "../case.ts"
import { inMemory } from "../daemon/in-memory.ts"
import { makeSite } from "../daemon/make-site.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { askInTurn, openConnection } from "../load/connection.ts"
import { atPace } from "../load/pace.ts"
import { timelineOf, type Mark, type Sent } from "../timeline/marks.ts"

const probe = join(import.meta.dirname, "../timeline/probe.ts")
const hotRequests = 2_000

/** Where one request is at each moment, at the venue's pace and hot. It runs the sources, without the permission model. */
export const timeline: Case = {
  name: "timeline",
  what: "where one signature is, in µs since it was sent: at 20 a second, and hot; state in memory",
  rounds: 1,
  async open(settings) {
    const site = await inMemory(() => makeSite({ program: settings.program }))
    const { dir, bots } = site
    const { botSocket } = pathsOf({ configDir: dir, stateDir: dir })
    const vault = await start("vault/main.ts", ["--config-dir", dir, "--state-dir", dir])
    const gate = await start("gate/main.ts", ["--port", "0", "--bot-socket", botSocket])
    const url = `http://127.0.0.1:${gate.port}`
    const posts = signingPosts({ url, tokens: bots.map(({ token }) => token) })
    const at = (name: string, ask: Parameters<typeof measured>[1]): Subject => ({
      name,
      measure: () => measured({ url, posts, processes: [gate, vault] }, ask),
    })
    return {
      subjects: [
        at("hot", { perSecond: Infinity, requests: hotRequests }),
        at("20/s", { perSecond: 20, requests: settings.requests }),
      ],
      close: async () => {
        for (const { child } of [gate, vault]) {
          child.kill("SIGTERM")
          await once(child, "exit")
        }
        await site.remove()
      },
    }
  },
}

type Started = { readonly child: ChildProcess; readonly port: number; readonly marks: Mark[] }

/** A process with the probe in it. */
async function start(entry: string, args: readonly string[]): Promise<Started> {
  const program = join(repositoryRoot, "src", entry)
  const child = spawn(process.execPath, [...memoryFlags, "--import", probe, program, ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const [{ port = 0 }] = (await once(child, "message")) as [{ readonly port?: number }]
  const marks: Mark[] = []
  child.on("message", (message: { readonly marks: readonly Mark[] }) => {
    marks.push(...message.marks)
  })
  return { child, port, marks }
}

type Daemon = {
  readonly url: string
  readonly posts: readonly string[]
  readonly processes: readonly Started[]
}

async function measured(
  { url, posts, processes }: Daemon,
  { perSecond, requests }: { readonly perSecond: number; readonly requests: number },
) {
  const connection = await openConnection(url)
  const ask = askInTurn(connection, posts)
  const sent: Sent[] = []
  const one = async (turn: number): Promise<void> => {
    const fromNs = nowNs()
    await ask(turn)
    sent.push({ fromNs, toNs: nowNs() })
  }
  await take(processes)
  if (Number.isFinite(perSecond)) await atPace(one, { perSecond, seconds: requests / perSecond })
  else for (let turn = 0; turn < requests; turn++) await one(turn)
  connection.close()
  const found = timelineOf(sent.slice(-requests / 2), await take(processes))
  return Object.fromEntries([...found].map(([what, micros]) => [`${what} µs`, micros]))
}

/** What the probes heard since the last time. */
async function take(processes: readonly Started[]): Promise<readonly Mark[]> {
  for (const { child } of processes) child.kill("SIGUSR2")
  await sleep(300) // nothing is at work, and what they send is soon here
  return processes.flatMap(({ marks }) => marks.splice(0))
}

function nowNs(): number {
  return Number(process.hrtime.bigint())
}
