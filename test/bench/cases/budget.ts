import type { Case, Figures, Settings, Subject } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { cpuMsByThread } from "../daemon/process-cost.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { warmUp } from "../daemon/signing-load.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { runLoad } from "../load/load.ts"

/** Where the processor time of a signature goes, which the bars of speed are steered by. */
export const budget: Case = {
  name: "budget",
  what: "processor time of a signature over HTTP, by process, thread and stage",
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    await warmUp(daemon, settings)
    const at = { daemon, metricsToken: site.metricsToken }
    return {
      subjects: [1, 16].map((connections) => stagesOf(at, connections, settings)),
      close: async () => {
        await daemon.stop()
        await site.remove()
      },
    }
  },
}

type Watched = { readonly daemon: Daemon; readonly metricsToken: string }

function stagesOf(watched: Watched, connections: number, { load, seconds }: Settings): Subject {
  const { daemon } = watched
  return {
    name: `sign, ${connections} conn`,
    async measure() {
      const before = await timesOf(watched)
      const posts = signingPosts(daemon)
      const { requests } = await runLoad(load, { url: daemon.url, posts, connections, seconds })
      const after = await timesOf(watched)
      return figuresOf((name) => ((after[name] - before[name]) / requests) * 1_000)
    },
  }
}

/** Milliseconds so far. */
type Times = Readonly<Record<(typeof timed)[number], number>>
const timed = [
  "gate",
  "gateOther",
  "vault",
  "ledger",
  "vaultOther",
  "parse",
  "judge",
  "sign",
] as const

function figuresOf(micros: (name: (typeof timed)[number]) => number): Figures {
  const [parse, judge, sign, vault] = [
    micros("parse"),
    micros("judge"),
    micros("sign"),
    micros("vault"),
  ]
  const threads = [
    micros("gate"),
    micros("gateOther"),
    vault,
    micros("ledger"),
    micros("vaultOther"),
  ]
  return {
    "gate µs": micros("gate"),
    "parse µs": parse,
    "judge µs": judge,
    "sign, check µs": sign,
    "rest of the vault's thread µs": vault - parse - judge - sign,
    "ledger's thread µs": micros("ledger"),
    "V8's and libuv's µs": micros("gateOther") + micros("vaultOther"),
    "cpu µs": threads.reduce((sum, each) => sum + each, 0),
  }
}

async function timesOf({ daemon, metricsToken }: Watched): Promise<Times> {
  const headers = { Authorization: `Bearer ${metricsToken}` }
  const metrics = await (await fetch(`${daemon.url}/metrics`, { headers })).text()
  const [gate, vault] = [threadsOf(daemon.pids.gate), threadsOf(daemon.pids.vault)]
  return {
    ...{ gate: gate.main, gateOther: gate.worker + gate.other },
    ...{ vault: vault.main, ledger: vault.worker, vaultOther: vault.other },
    ...{
      parse: stageMs(metrics, "parse"),
      judge: stageMs(metrics, "judge"),
      sign: stageMs(metrics, "sign"),
    },
  }
}

function threadsOf([pid]: readonly number[]): ReturnType<typeof cpuMsByThread> {
  if (pid === undefined) throw new Error("the daemon has ended")
  return cpuMsByThread(pid)
}

/** What a stage has taken so far. It is wall time, in which the vault's thread does nothing else. */
function stageMs(metrics: string, stage: string): number {
  const sum = `countersign_sign_stage_duration_seconds_sum{stage="${stage}"} `
  const line = metrics.split("\n").find((each) => each.startsWith(sum))
  if (line === undefined) throw new Error(`the metrics lack ${sum}`)
  return Number(line.slice(sum.length)) * 1_000
}
