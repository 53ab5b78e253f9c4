import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

import { anvilPosts, hasAnvil, startAnvil } from "../beside/anvil.ts"
import { signersHere } from "../beside/signers.ts"
import { startSshAgent, type SshAgent } from "../beside/ssh-agent.ts"
import { startFloor } from "../beside/start-floor.ts"
import { startMinimum, startTwoProcesses } from "../beside/start-minimum.ts"
import { isInstalled } from "../../support/needs.ts"
import type { Case, Settings, Subject } from "../case.ts"
import type { Signed } from "../beside/in-process.ts"
import type { Server } from "../start-server.ts"
import { costedLoad } from "../daemon/costed-load.ts"
import { makeSite } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { signingLoad, warmUp } from "../daemon/signing-load.ts"
import { figuresOf } from "../load/figures-of.ts"
import { runLoad } from "../load/load.ts"
import { rawPost } from "../load/post.ts"
import { orders, ordersPath } from "../order.ts"

const run = promisify(execFile)

/** Signing over HTTP, and beside it what a bot could do instead, and what HTTP alone costs. */
export const signHttp: Case = {
  name: "sign-http",
  what: "sign over HTTP: 20 rules, durable record, 32 keys; beside it other ways to a signature",
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    const anvil = hasAnvil() ? await startAnvil() : undefined
    const minimum = await startMinimum()
    const shape = await startTwoProcesses()
    const agent = isInstalled("ssh-agent") ? await startSshAgent() : undefined
    const floors = { "node:http": await startFloor("http"), Express: await startFloor("express") }
    await warmUp(daemon, settings)
    return {
      subjects: [
        ...[1, 16, 64].map((connections) => {
          const name = `sign, ${connections} conn`
          return signingLoad(daemon, { name, connections }, settings)
        }),
        batches("", daemon, settings),
        ...signersHere().names.map((name) => inProcess(name, settings)),
        ...served("honest minimum", minimum, settings),
        ...served("two processes", { ...shape, posts: floorPosts(shape.url) }, settings),
        batches("two processes, ", { ...shape, tokens: ["none"] }, settings),
        ...(agent === undefined ? [] : [sshAgent(agent, settings)]),
        ...(anvil === undefined
          ? []
          : served("anvil", { ...anvil, posts: anvilPosts(anvil.url) }, settings)),
        ...Object.entries(floors).flatMap(([name, floor]) =>
          served(name, { ...floor, posts: floorPosts(floor.url) }, settings),
        ),
      ],
      skipped: [
        ...signersHere().skipped,
        ...(agent === undefined
          ? ["ssh-agent isn't measured: apt-get install openssh-client"]
          : []),
        ...(anvil === undefined ? ["anvil isn't measured: it comes for x86-64 Linux alone"] : []),
      ],
      close: async () => {
        const servers = [daemon, minimum, shape, agent, anvil, ...Object.values(floors)]
        for (const server of servers) await server?.stop()
        await site.remove()
      },
    }
  },
}

const batchOf = 50

/** Counted in signatures, so that its rate and its cost stand beside those of requests. */
function batches(
  before: string,
  { url, tokens, pids }: Pick<Daemon, "url" | "tokens"> & { readonly pids: Pids },
  { load, seconds }: Settings,
): Subject {
  const requests = Array.from({ length: batchOf }, (_, index) => ({
    path: ordersPath,
    body: orders[index % orders.length],
  }))
  const body = JSON.stringify({ requests })
  const posts = tokens.map((token) => rawPost({ url, path: "/sign/batch", token, body }))
  return {
    name: `${before}batches of ${batchOf}, 4 conn`,
    async measure() {
      const run = () => runLoad(load, { url, posts, connections: 4, seconds })
      const figures = Object.entries(await costedLoad(run, pids))
      return Object.fromEntries(figures.map(([figure, value]) => [figure, forOne(figure, value)]))
    },
  }
}

type Pids = Readonly<Record<string, readonly number[]>>

function forOne(figure: string, ofBatches: number): number {
  if (figure === "/s") return ofBatches * batchOf
  return figure.endsWith("µs") ? ofBatches / batchOf : ofBatches
}

/** In a process of its own, as the bot's is. */
function inProcess(name: string, { seconds }: Settings): Subject {
  const program = join(import.meta.dirname, "../beside/in-process.ts")
  return {
    name,
    async measure() {
      const { stdout } = await run(process.execPath, [program, name, String(seconds / 2)])
      const found = JSON.parse(stdout) as Signed // of in-process.ts
      return { ...figuresOf(found), "cpu µs": found.cpuMicros }
    },
  }
}

function sshAgent(agent: SshAgent, { seconds }: Settings): Subject {
  return { name: "ssh-agent", measure: async () => figuresOf(await agent.sign(seconds)) }
}

function floorPosts(url: string): readonly string[] {
  return orders.map((order) => rawPost({ url, path: ordersPath, body: JSON.stringify(order) }))
}

function served(
  name: string,
  { url, pid, pids, posts }: Server & { readonly posts: readonly string[]; readonly pids?: Pids },
  { load, seconds }: Settings,
): readonly Subject[] {
  const cost = pids ?? { server: [pid] }
  return [1, 16].map((connections) => ({
    name: `${name}, ${connections} conn`,
    measure: () => costedLoad(() => runLoad(load, { url, posts, connections, seconds }), cost),
  }))
}
