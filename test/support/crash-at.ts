// Preloaded into a vault or a gate, its worker threads included: told so over IPC, it kills a process,
// or stops it, within the turn in which a stage is said to be over for the `count`th time from then on. Its clock is set
// back by CRASH_CLOCK_BACK_MS.

import { subscribe } from "node:diagnostics_channel"
import { BroadcastChannel, isMainThread } from "node:worker_threads"

/** What is sent over IPC. */
export type CrashOrder = {
  readonly stage: string
  readonly count: number
  /** The process to be killed. */
  readonly pid: number
  /** Where it isn't to be killed. */
  readonly signal?: "SIGSTOP"
}

const backMs = Number(process.env["CRASH_CLOCK_BACK_MS"] ?? "0")
const trueNow = Date.now
Date.now = () => trueNow() - backMs

let order: CrashOrder | undefined
let passed = 0

for (const name of ["request", "turn", "commit", "send"]) {
  subscribe(`countersign.${name}`, (message) => {
    const { stage } = message as { readonly stage: string }
    if (order?.stage !== stage) return
    passed += 1
    if (passed !== order.count) return
    try {
      process.kill(order.pid, order.signal ?? "SIGKILL")
    } catch {
      // it ended meanwhile
    }
  })
}

const threads = new BroadcastChannel("crash")
if (isMainThread) {
  process.on("message", (told: CrashOrder) => {
    take(told)
    threads.postMessage(told)
  })
} else {
  threads.onmessage = ({ data }) => take(data as CrashOrder)
}
threads.unref()

function take(told: CrashOrder): void {
  order = told
  passed = 0
}
