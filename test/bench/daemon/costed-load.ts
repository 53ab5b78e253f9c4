import type { Figures } from "../case.ts"
import { figuresOf } from "../load/figures-of.ts"
import type { Load } from "../load/load.ts"
import { cpuMs } from "./process-cost.ts"

/** A load's figures, with the processor time of the processes that served it, for a request: of each, and of all. */
export async function costedLoad(
  run: () => Promise<Load>,
  pids: Readonly<Record<string, readonly number[]>>,
): Promise<Figures> {
  const times = (): readonly number[] => Object.values(pids).map(cpuMs)
  const before = times()
  const found = await run()
  const micros = times().map((ms, index) => ((ms - (before[index] ?? 0)) / found.requests) * 1_000)
  const all = micros.reduce((sum, each) => sum + each, 0)
  const names = Object.keys(pids)
  const ofEach = names.map((name, index) => [`${name} µs`, micros[index] ?? Number.NaN] as const)
  return {
    ...figuresOf(found),
    "cpu µs": all,
    ...(names.length > 1 ? Object.fromEntries(ofEach) : {}),
  }
}
