// Runs the tests and closes with `N passed, N failed`. `node test/run.ts [--system] [--long] [FILE or WORD…]`
//
// A word runs the tests whose path has it: `npm run test:long -- simulation`.
// `--system` runs those of test/system alone, which else are left out. `--long` multiplies the random cases of every
// property; RUNS sets the factor itself. A secret that shows in any output of the run counts as a failure.

import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { run, type EventData } from "node:test"
import { spec, type TestEvent } from "node:test/reporters"

import { startCanaryRun } from "./support/canaries-run.ts"
import { makeMemory } from "./support/in-memory.ts"
import { jobsFor, jobsOf, laneOf, testsWith, type Job, type Lane } from "./support/jobs.ts"
import { testPublished } from "./support/published.ts"

const longFactor = "20"
/**
 * How many jobs of a lane run at once, by what the smallest machine bears: two cores. Who has none left takes those that
 * want a processor, which are the most, and wait for processes of their own now and then.
 */
const workers = { container: 1, idle: 1, busy: 2 } as const satisfies Partial<Record<Lane, number>>

/** The error of Node's that a failure comes as: what kind it is, and what the test threw. */
type FailedTest = Error & { readonly failureType?: string }

const words = process.argv.slice(2)
const isLong = words.includes("--long")
const asked = words.filter((word) => !word.startsWith("--")).flatMap(testsWith)
const files = [...new Set(asked)]
process.env["RUNS"] ??= isLong ? longFactor : "1"
/** A job that still runs then is killed, and named as failed. */
const longestJobMs = 1_800_000 * Math.max(1, Number(process.env["RUNS"]))
// Hundreds of processes are started; what Node compiled for one, the next needn't compile again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "countersign-compile-cache")

// One file alone is soon started from the sources; a long run is worth what is published.
const removePublished = files.length > 0 && !isLong ? undefined : await testPublished()

const inMemory = makeMemory()
const canaries = startCanaryRun(inMemory)
const failures: string[] = []
const counts = { passed: 0, failed: 0, skipped: 0 }
const report = new spec()
report.on("data", (chunk: Buffer) => canaries.print(chunk))
report.pipe(process.stdout, { end: false })
report.on("end", finish)

const jobs = files.length > 0 ? jobsFor(files) : jobsOf(words.includes("--system"))
const lanes = Object.groupBy(jobs, laneOf)
process.setMaxListeners(0) // each run of Node's listens for signals
const lengths = Object.entries(workers) as [Lane, number][]
await Promise.all(lengths.flatMap(([lane, length]) => Array.from({ length }, () => workFrom(lane))))
await work(lanes.timed ?? [])
report.end()
await removePublished?.()

async function workFrom(lane: Lane): Promise<void> {
  await work(lanes[lane] ?? [])
  await work(lanes.busy ?? [])
}

async function work(waiting: Job[]): Promise<void> {
  for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await runJob(job)
}

/** Reports a job as a whole when it has ended, so that two never mix. */
async function runJob({ name, files }: Job): Promise<void> {
  const started = performance.now()
  const isBundle = files.length > 1
  const stream = run({
    files: isBundle ? ["test/support/bundle.ts"] : [...files],
    argv: isBundle ? [...files] : [],
    env: environmentOf(files),
    signal: AbortSignal.timeout(longestJobMs),
  })
  const events = (await stream.toArray()) as readonly TestEvent[]
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  process.stdout.write(`\n${name} (${seconds} s)\n`)
  for (const event of events.filter((each) => !isSummary(each))) {
    if (event.type === "test:pass") countPassed(event.data)
    if (event.type === "test:fail") countFailed(event.data)
    report.write(event)
  }
}

/** Those of test/system keep to the disk: what happens to a disk is theirs, and other users of containers are there. */
function environmentOf(files: readonly string[]): NodeJS.ProcessEnv {
  const isSystem = files.some((file) => file.startsWith("test/system/"))
  return inMemory === undefined || isSystem ? process.env : { ...process.env, TMPDIR: inMemory }
}

/** A line of the counts that Node closes each run with; what a test says has its file. */
function isSummary({ type, data }: TestEvent): boolean {
  return type === "test:diagnostic" && data.file === undefined
}

function countPassed({ details, skip }: EventData.TestPass): void {
  if (details.type === "suite") return
  if (skip === undefined) counts.passed += 1
  else counts.skipped += 1
}

/** What failed is said again at the end, where one looks first: a suite fails with its test, and isn't named then. */
function countFailed({ name, file = "", details }: EventData.TestFail): void {
  counts.failed += 1
  const { failureType, cause } = details.error as FailedTest
  if (failureType !== "subtestsFailed") {
    const why = String(cause)
      .split(/\s*\n\s*/)
      .slice(0, 4)
      .join(" ")
    failures.push(`failed: ${relative("", file)}: ${name}: ${why}`)
  }
}

function finish(): void {
  const shown = canaries.finish()
  counts.failed += shown.length
  const { passed, failed, skipped } = counts
  const tail = skipped > 0 ? `, ${skipped} skipped` : ""
  process.stdout.write(`\n${[...failures, ...shown].map((line) => `${line}\n`).join("")}`)
  process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
}
