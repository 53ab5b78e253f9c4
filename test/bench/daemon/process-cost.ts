import { readFileSync } from "node:fs"

/** Of Linux on every machine that Node runs on (sysconf's _SC_CLK_TCK). */
const ticksPerSecond = 100
const pageBytes = 4_096

/** Processor time of all threads of the processes so far. */
export function cpuMs(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    // proc(5): after the name in brackets come state (3) and so on; utime is 14, stime 15.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(fields[11]) + Number(fields[12])
  })
  return (sum(ticks) / ticksPerSecond) * 1_000
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
