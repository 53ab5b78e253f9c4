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
  const all = allPids().map((each) => ({ pid: each, parent: parentOf(each) }))
  const below = (parent: number): readonly number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)])
  return below(pid).flatMap((each) => runningProcess(each) ?? [])
}

/** The process below `pid` whose command line has `part`, waiting until there is one. */
export function childRunning(pid: number, part: string): Promise<RunningProcess> {
  const find = () => processesBelow(pid).find(({ commandLine }) => commandLine.includes(part))
  return until(find, `${part} runs`)
}

/** A process whose command line has every one of `parts`, waiting until there is one. */
export function processRunning(...parts: readonly string[]): Promise<RunningProcess> {
  return until(() => processesWith(parts)[0], `${parts.join(" ")} runs`)
}

/** The processes whose command line has `part`: a test's own directory names the processes it started. */
export function processesNaming(part: string): readonly RunningProcess[] {
  return processesWith([part])
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
  const parent = parentOf(pid)
  const commandLine = commandLineOf(pid)
  const environment = readOf(pid, "environ", "latin1")
  if (parent === undefined || commandLine === undefined || environment === undefined)
    return undefined
  return { pid, parent, commandLine, environment }
}

/** Those whose command line has every one of `parts`. They are looked for again and again, so nothing else is read of others. */
function processesWith(parts: readonly string[]): readonly RunningProcess[] {
  return allPids()
    .filter((pid) => {
      const commandLine = commandLineOf(pid)
      return commandLine !== undefined && parts.every((part) => commandLine.includes(part))
    })
    .flatMap((pid) => runningProcess(pid) ?? [])
}

function allPids(): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** `undefined` when it has ended, whether or not somebody has waited for it. */
function parentOf(pid: number): number | undefined {
  // proc(5): "pid (name) state ppid …", and the name may hold anything.
  const stat = readOf(pid, "stat")
  const [state, parent] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? []
  return state === undefined || state === "Z" || state === "X" ? undefined : Number(parent)
}

function commandLineOf(pid: number): string | undefined {
  return readOf(pid, "cmdline")?.replaceAll("\0", " ")
}

/** `undefined` when it ended meanwhile, or is another user's. */
function readOf(pid: number, what: string, as: BufferEncoding = "utf8"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${what}`, as)
  } catch {
    return undefined
  }
}
