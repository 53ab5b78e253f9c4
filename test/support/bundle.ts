// Runs the test files that it is given in one process, each as a suite of its name, whose hooks are its own. Most of
// a short file's time is the start of its process.

import { before, describe } from "node:test"
import { resolve } from "node:path"

import "./published-ledger.ts"

/** A file that hangs is named by its suite's failure. `RUNS` multiplies its work. */
const longestFileMs = 180_000 * Math.max(1, Number(process.env["RUNS"] ?? "1"))

for (const file of process.argv.slice(2)) {
  describe(file, { timeout: longestFileMs }, async () => {
    before(() => (process.argv[1] = file)) // what is kept of outputs and secrets names the file
    await import(resolve(file))
  })
}
