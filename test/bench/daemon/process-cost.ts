import { readdirSync, readFileSync } from "node:fs"

/** Of Linux on every machine that Node runs on (sysconf's _SC_CLK_TCK). */
const ticksPerSecond = 100
const pageBytes = 4_096

/** Processor time of all threads of the processes so far. */
export function cpuMs(pids: readonly number[]): number {
  return sum(pids.map((pid) => statMs(`/proc/${pid}/stat`)))
}

/** What threads of a Node process are for. */
export type ThreadKind = "main" | "worker" | "other"

/** Processor time so far of a process's first thread, of the workers it started, and of the threads that V8 and libuv have. */
export function cpuMsByThread(pid: number): Readonly<Record<ThreadKind, number>> {
  const times = { main: 0, worker: 0, other: 0 }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${thread}`
    const isWorker = readFileSync(`${path}/comm`, "latin1").startsWith("WorkerThread")
    const kind = Number(thread) === pid ? "main" : isWorker ? "worker" : "other"
    times[kind] += statMs(`${path}/stat`)
  }
  return times
}

function statMs(file: string): number {
  const stat = readFileSync(file, "latin1")
  // proc(5): after the name in brackets come state (3) and so on; utime is 14, stime 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1_000
}

/** Resident memory of the processes, where a page that several processes share counts as their share of it. */
export function pssMiB(pids: readonly number[]): number {
  const kib = pids.map((pid) => {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1])
  })
  return sum(kib) / 1_024
}

/** Resident memory of the processes. */
export function rssMiB(pids: readonly number[]): number {
  const pages = pids.map((pid) =>
    Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]),
  )
  return (sum(pages) * pageBytes) / 1_048_576
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
