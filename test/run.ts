// Runs the tests and closes with `N passed, N failed`. `node test/run.ts [--long] [FILE…]`
//
// `--long` multiplies the random cases of every property; RUNS sets the factor itself.
// A secret that shows in any output of the run counts as a failure.

import { tmpdir } from "node:os"
import { join } from "node:path"
import { spec } from "node:test/reporters"
import { run } from "node:test"

import { startCanaryRun } from "./support/canaries-run.ts"

const longFactor = "20"

const words = process.argv.slice(2)
const isLong = words.includes("--long")
const files = words.filter((word) => word !== "--long")
process.env["RUNS"] ??= isLong ? longFactor : "1"
// Hundreds of processes are started; what Node compiled for one, the next needn't compile again.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "countersign-compile-cache")

const canaries = startCanaryRun()
const counts = { passed: 0, failed: 0, skipped: 0 }
const stream = run({
  ...(files.length > 0 ? { files } : { globPatterns: ["test/**/*.test.ts"] }),
  // Two at a time: many tests start processes of their own.
  concurrency: 2,
})
stream.on("test:pass", ({ details, skip }) => {
  if (details.type === "suite") return
  if (skip === undefined) counts.passed += 1
  else counts.skipped += 1
})
stream.on("test:fail", () => (counts.failed += 1))
const report = stream.compose(new spec())
report.on("data", (chunk: Buffer) => canaries.print(chunk))
report.pipe(process.stdout, { end: false })
report.on("end", () => {
  const shown = canaries.finish()
  counts.failed += shown.length
  const { passed, failed, skipped } = counts
  const tail = skipped > 0 ? `, ${skipped} skipped` : ""
  process.stdout.write(`\n${shown.map((line) => `${line}\n`).join("")}`)
  process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
})
