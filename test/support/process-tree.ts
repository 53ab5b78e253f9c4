import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

// Linux's /proc, which is where a secret on a command line would be seen.

export type RunningProcess = {
  readonly pid: number
  readonly parent: number
  readonly commandLine: string
  readonly environment: string
}

/** All processes below `pid`, at any depth. Those that have ended but weren't waited for don't count. */
export function processesBelow(pid: number): readonly RunningProcess[] {
  const all = runningProcesses()
  const below = (parent: number): readonly RunningProcess[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...below(each.pid)])
  return below(pid)
}

/** The process below `pid` whose command line has `part`, waiting until there is one. */
export function childRunning(pid: number, part: string): Promise<RunningProcess> {
  const find = () => processesBelow(pid).find(({ commandLine }) => commandLine.includes(part))
  return until(find, `${part} runs`)
}

/** A process whose command line has every one of `parts`, waiting until there is one. */
export function processRunning(...parts: readonly string[]): Promise<RunningProcess> {
  const find = () =>
    runningProcesses().find(({ commandLine }) => parts.every((part) => commandLine.includes(part)))
  return until(find, `${parts.join(" ")} runs`)
}

/** The processes whose command line has `part`: a test's own directory names the processes it started. */
export function processesNaming(part: string): readonly RunningProcess[] {
  return runningProcesses().filter(({ commandLine }) => commandLine.includes(part))
}

/** Resolves once no process's command line has `part`. */
export async function untilNoneNames(part: string): Promise<void> {
  await until(() => (processesNaming(part).length === 0 ? true : undefined), `${part} is unused`)
}

/** Ends what a failed test left running: the processes whose command line has `part`. */
export async function killAllNaming(part: string): Promise<void> {
  for (const { pid } of processesNaming(part)) signalProcess(pid, "SIGKILL")
  await untilNoneNames(part)
}

/** Signals a process, unless it has ended meanwhile. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Asks again and again until `look` finds something. @throws after half a minute: then it never will. */
export async function until<Found>(
  look: () => Found | undefined | Promise<Found | undefined>,
  what: string,
): Promise<Found> {
  const lastMs = performance.now() + longestWaitMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > lastMs) throw new Error(`waited in vain until ${what}`)
    await sleep(5)
  }
}

const longestWaitMs = 30_000

/** A process as /proc shows it, or `undefined` when it has ended. */
export function runningProcess(pid: number): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // proc(5): "pid (name) state ppid …", and the name may hold anything.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === "Z" || state === "X") return undefined
    return {
      pid,
      parent: Number(parent),
      commandLine: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "),
      environment: readFileSync(`/proc/${pid}/environ`, "latin1"),
    }
  } catch {
    return undefined // it ended meanwhile, or is another user's
  }
}

function runningProcesses(): readonly RunningProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => runningProcess(Number(name)) ?? [])
}
