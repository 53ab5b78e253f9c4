import type { Case, Figures, Settings } from "../case.ts"
import { pssMiB, rssMiB } from "../daemon/process-cost.ts"
import { makeSite } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { runLoad } from "../load/load.ts"

/** Resident memory of gate and vault while they sign a great many requests. */
export const memory: Case = {
  name: "memory",
  what: "resident memory before, in the first and last tenth of, and after many signatures; --signatures says how many",
  rounds: 1,
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    return {
      subjects: [{ name: "gate and vault", measure: () => signMany(daemon, settings) }],
      close: async () => {
        await daemon.stop()
        await site.remove()
      },
    }
  },
}

async function signMany(daemon: Daemon, { load, seconds, signatures }: Settings): Promise<Figures> {
  const ask = { url: daemon.url, posts: signingPosts(daemon), connections: 16, seconds }
  const { gate, vault } = daemon.pids
  const both = [...gate, ...vault]
  const seen = [{ signed: 0, mib: rssMiB(both) }]
  let signed = 0
  while (signed < signatures) {
    signed += (await runLoad(load, ask)).requests
    seen.push({ signed, mib: rssMiB(both) })
  }
  const tenth = (from: number): number =>
    meanOf(seen.filter(({ signed: at }) => at > from && at <= from + signed / 10))
  return {
    signatures: signed,
    "before MiB": seen[0]?.mib ?? Number.NaN,
    "first tenth MiB": tenth(0),
    "last tenth MiB": tenth(signed * 0.9),
    "after MiB": rssMiB(both),
    "after, shared in part MiB": pssMiB(both),
    "most MiB": Math.max(...seen.map(({ mib }) => mib)),
    "gate MiB": rssMiB(gate),
    "vault MiB": rssMiB(vault),
  }
}

type Seen = { readonly signed: number; readonly mib: number }

function meanOf(seen: readonly Seen[]): number {
  return seen.reduce((sum, { mib }) => sum + mib, 0) / seen.length
}
