// `node in-process.ts NAME SECONDS` signs as a bot does that has the key, after a warm-up of as long, and prints the Load.
import { performance } from "node:perf_hooks"

import type { Load } from "../load/load.ts"
import { quantilesOf } from "../report/quantiles.ts"
import { signers } from "./signers.ts"

/** With the processor time for a signature. */
export type Signed = Load & { readonly cpuMicros: number }

const [, , name = "", seconds = "1"] = process.argv
const sign = signers[name]?.()
if (sign === undefined) throw new Error(`no signer is called ${name}`)
await run(sign, Math.min(1, Number(seconds)))
process.stdout.write(JSON.stringify(await run(sign, Number(seconds))))

async function run(each: (turn: number) => unknown, lastsSeconds: number): Promise<Signed> {
  const cpuBefore = process.cpuUsage()
  const timesMs: number[] = []
  const startMs = performance.now()
  const endMs = startMs + lastsSeconds * 1_000
  for (let nowMs = startMs; nowMs < endMs;) {
    await each(timesMs.length)
    const afterMs = performance.now()
    timesMs.push(afterMs - nowMs)
    nowMs = afterMs
  }
  const requests = timesMs.length
  const { user, system } = process.cpuUsage(cpuBefore)
  return {
    cpuMicros: (user + system) / requests,
    requests,
    perSecond: requests / lastsSeconds,
    ...quantilesOf(timesMs),
  }
}
