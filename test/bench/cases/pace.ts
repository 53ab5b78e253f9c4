import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { startFloor } from "../beside/start-floor.ts"
import { startChain } from "../beside/start-minimum.ts"
import { startSshAgent } from "../beside/ssh-agent.ts"
import type { Case, Figures, Settings, Subject } from "../case.ts"
import { inMemory } from "../daemon/in-memory.ts"
import { makeSite, type Site, type SiteAsk } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { warmUp } from "../daemon/signing-load.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { rawPost } from "../load/post.ts"
import { runPace, type PacedSubject } from "../load/run-pace.ts"
import { orders, ordersPath } from "../order.ts"
import type { Server } from "../start-server.ts"

/** What a bot sees at the rate that the venue allows (20 a second and IP), where nothing is warm. */
export const pace: Case = {
  name: "pace",
  what: "sign over HTTP at random moments, 10, 20 and 40 a second on one connection; beside it viem in process, the hops alone, ssh-agent, and one flush of the disk",
  rounds: 5,
  async open(settings) {
    const venue = await startFloor("venue")
    const { beside } = settings
    const here = { venue, settings }
    const all = [
      await inMemory(() => served("memory", here)),
      await served("disk", here),
      await inMemory(() => served("memory, kept warm", { ...here, lines: "keep_warm: 5ms\n" })),
      ...(beside === undefined
        ? []
        : [
            await inMemory(() => served("memory, beside", { ...here, checkout: beside })),
            await served("disk, beside", { ...here, checkout: beside }),
          ]),
    ]
    const chain = await startChain()
    const agent = await startSshAgent()
    const scratch = mkdtempSync(join(tmpdir(), "cs-flush-"))
    return {
      subjects: settings.paces.flatMap((perSecond) => {
        const at = subjectsAt(perSecond, settings)
        return [
          at("viem, in process", { kind: "in process", name: "viem, in process" }),
          ...all.flatMap(({ name, daemon }) => {
            const pids = Object.values(daemon.pids).flat()
            const post = (prefix: "/sign" | "") =>
              ({ kind: "http", url: daemon.url, posts: signingPosts(daemon, prefix) }) as const
            return [
              at(`sign, ${name}`, post("/sign"), pids),
              at(`forward, ${name}`, post(""), pids),
            ]
          }),
          at("the hops alone", { kind: "http", url: chain.url, posts: chainPosts(chain.url) }),
          at("ssh-agent", { kind: "ssh-agent", path: agent.path, key: agent.key }),
          at("one flush", { kind: "flush", file: join(scratch, "page") }),
        ]
      }),
      close: async () => {
        for (const { daemon } of all) await daemon.stop()
        for (const server of [venue, chain, agent]) await server.stop()
        for (const { site } of all) await site.remove()
        rmSync(scratch, { recursive: true })
      },
    }
  },
}

type Served = { readonly name: string; readonly site: Site; readonly daemon: Daemon }

/** Warmed up, so that V8 has compiled what is hot. */
async function served(
  name: string,
  {
    venue,
    settings,
    ...differing
  }: { readonly venue: Server; readonly settings: Settings } & Pick<SiteAsk, "checkout" | "lines">,
): Promise<Served> {
  const { program } = settings
  const site = await makeSite({ program, venueUrl: venue.url, ...differing })
  const daemon = await site.serve()
  await warmUp(daemon, settings)
  await warmUp(daemon, settings, "")
  return { name, site, daemon }
}

type At = (name: string, subject: PacedSubject, pids?: readonly number[]) => Subject

function subjectsAt(perSecond: number, { requests }: Settings): At {
  const seconds = requests / perSecond
  return (name, subject, pids) => ({
    name: `${perSecond}/s ${name}`,
    async measure(): Promise<Figures> {
      const found = await runPace({ perSecond, seconds, subject, pids })
      const { p50Ms, p90Ms, p99Ms, cpuMicros } = found
      return { "p50 ms": p50Ms, "p90 ms": p90Ms, "p99 ms": p99Ms, "cpu µs": cpuMicros }
    },
  })
}

function chainPosts(url: string): readonly string[] {
  return orders.map((order) => rawPost({ url, path: ordersPath, body: JSON.stringify(order) }))
}
