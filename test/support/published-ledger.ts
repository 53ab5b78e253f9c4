// A whole run starts the ledger's thread from what is published, as it does processes: made some nine hundred times, it
// loads from one file in half the time that its sources take.

import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import threads from "node:worker_threads"

import { repositoryRoot } from "./markdown.ts"
import { published } from "./published.ts"

const entry = "vault/ledger/sqlite/sqlite-worker"
const source = join(repositoryRoot, "src", `${entry}.ts`)
assert.ok(
  existsSync(source),
  `no file of sources is ${entry}: name the ledger's thread as it is now`,
)

if (published !== undefined) {
  const made = join(published, "dist", `${entry}.js`)
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(file: string | URL, options?: threads.WorkerOptions) {
      super(file === source ? made : file, options)
    }
  }
  syncBuiltinESMExports()
}
