// Loaded into gate and vault before all else: keeps when each stage of a request was over, by the clock that all processes
// share, and sends it to the process that started this one when that asks for it. Nobody listens without it.

import { subscribe } from "node:diagnostics_channel"
import { BroadcastChannel, isMainThread } from "node:worker_threads"

import type { Mark } from "./marks.ts"

const channels = {
  "http.server.request.start": () => "gate: head read",
  "countersign.request": (stage) => `vault: ${stage}`,
  "countersign.commit": (stage) => `ledger's thread: ${stage}`,
} as const satisfies Readonly<Record<string, (stage: string) => string>>

const kept: Mark[] = []
/** What a thread heard, which has no channel of its own to the parent. */
const threads = new BroadcastChannel("countersign.bench.marks")
threads.unref()

for (const [name, shown] of Object.entries(channels)) {
  subscribe(name, (message) => {
    const { stage = "" } = message as { readonly stage?: string }
    kept.push([shown(stage), Number(process.hrtime.bigint())])
  })
}

if (isMainThread) {
  threads.onmessage = ({ data }: { readonly data: "send" | readonly Mark[] }) => {
    if (data !== "send") process.send?.({ marks: data })
  }
  process.on("SIGUSR2", () => {
    threads.postMessage("send")
    process.send?.({ marks: kept.splice(0) })
  })
} else {
  threads.onmessage = ({ data }) => {
    if (data === "send") threads.postMessage(kept.splice(0))
  }
}
