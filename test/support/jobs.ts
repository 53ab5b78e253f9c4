import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, dirname, relative } from "node:path"

/** Test files that run one after the other in a process of their own. */
export type Job = { readonly name: string; readonly files: readonly string[] }

/** Where files touch nothing that a process has once, those of a room share one: half of a short file's time is its start. */
const shared = /^test\/(unit|properties|threats|vectors|house|process)\//

/** But these: they look at all modules that are loaded, or at the heap. */
const alone = ["pick-curve.test.ts", "memory-written-out.test.ts", "key-left-in-memory.test.ts"]

/** Directories with too much for one room: what is below them is dealt to so many that run side by side. */
const dealt: Readonly<Record<string, number>> = { "test/process": 8, "test/unit/vault": 6 }

/** Longest first, so that no worker has a long job left when the others have none. What isn't here comes after. */
const slowest = [
  "system/fleet-crash",
  "system/crash.test.ts",
  "system/guards.test.ts",
  "system/postgres-fleet-drills",
  "system/go-live",
  "system/package-deb",
  "system/postgres-ledger",
  "system/price-poll",
  "system/postgres-fleet-daemons",
  "system/postgres-fleet-state",
  "system/as-root",
  "system/power-loss",
  "system/postgres-crash",
  "system/places",
  "system/key-in-memory",
  "system/package-places",
  "system/docs-pages",
  "system/ledger-crash",
  "system/postgres-daemon",
  "simulation",
  "properties",
  "test/process",
  "threats",
  "unit/vault",
]

/** These wait three quarters of their time, for a second or a minute to be over. */
const idle = [
  "postgres-fleet.test.ts",
  "postgres-fleet-ledgers.test.ts",
  "postgres-isolated.test.ts",
  "postgres-isolated-time.test.ts",
  "postgres-isolated-told.test.ts",
  "postgres-ledger.test.ts",
  "postgres-properties.test.ts",
  "postgres-session.test.ts",
  "price-poll.test.ts",
]

/** As these do, of those that share a room: they have one of their own. */
const idleShared = [
  "test/process/client-waits.test.ts",
  "test/process/guards.test.ts",
  "test/process/limits.test.ts",
  "test/process/notify.test.ts",
  "test/process/price-poll.test.ts",
  "test/process/status-watch.test.ts",
  "test/process/terminal-closed.test.ts",
  "test/unit/link/link.test.ts",
  "test/unit/vault/ledger/postgres/turn-keeper.test.ts",
]

/** These hold what is promised in milliseconds, so they run one by one, after all others. */
const timed = [
  "disk-stall.test.ts",
  "fair.test.ts",
  "fleet-freeze.test.ts",
  "fleet-silence.test.ts",
  "fleet-withdraw.test.ts",
]

/** What jobs wait for most: a systemd in a container, of which there is one at a time; the time; a processor; a quiet machine. */
export type Lane = "container" | "idle" | "busy" | "timed"

export function laneOf({ files: [file = "", ...others] }: Job): Lane {
  if (idleShared.includes(file)) return "idle"
  if (others.length > 0 || !file.startsWith("test/system/")) return "busy"
  if (timed.includes(basename(file))) return "timed"
  if (readFileSync(file, "utf8").includes("needsSystemd()")) return "container"
  return idle.includes(basename(file)) ? "idle" : "busy"
}

/** The file that `word` is the path of, else all tests whose path has it; none is a mistake. */
export function testsWith(word: string): readonly string[] {
  if (word.endsWith(".ts") && existsSync(word)) return [relative("", word)]
  const named = allTests().filter((file) => file.includes(word))
  if (named.length === 0) throw new Error(`No test's path has ${word}.`)
  return named
}

/** Every test but those in test/system, or those alone. */
export function jobsOf(isSystem: boolean): readonly Job[] {
  return jobsFor(allTests().filter((file) => file.startsWith("test/system/") === isSystem))
}

function allTests(): readonly string[] {
  return globSync("test/**/*.test.ts", { exclude: ["test/bench/**/node_modules"] }).sort()
}

/** The jobs that run `files`. */
export function jobsFor(files: readonly string[]): readonly Job[] {
  const byName = Object.groupBy(files, (file, index) =>
    isShared(file) ? roomOf(file, index) : file,
  )
  const jobs = Object.entries(byName).map(([name, ofJob = []]) => ({ name, files: ofJob }))
  return jobs.toSorted((one, other) => rank(one) - rank(other))
}

/** The directory of a file, one below `test/unit/` at most, since most are small. */
function roomOf(file: string, index: number): string {
  const directory = dirname(file).split("/").slice(0, 3).join("/")
  if (idleShared.includes(file)) return `${directory}, what waits`
  const rooms = dealt[directory]
  return rooms === undefined ? directory : `${directory} ${(index % rooms) + 1}`
}

function isShared(file: string): boolean {
  return shared.test(file) && !alone.includes(basename(file))
}

function rank({ name, files }: Job): number {
  const index = slowest.findIndex((part) => name.includes(part))
  return index < 0 ? slowest.length - files.length / 1_000 : index
}
