// Loaded into gate and vault before all else: at SIGUSR2 each of a process's threads writes which functions have run
// since the last time, to the directory of NODE_V8_COVERAGE.

import { takeCoverage } from "node:v8"
import { BroadcastChannel, isMainThread } from "node:worker_threads"

const asked = new BroadcastChannel("coverage")
asked.onmessage = takeCoverage
asked.unref()

if (isMainThread) {
  process.on("SIGUSR2", () => {
    asked.postMessage("take")
    takeCoverage()
  })
}
