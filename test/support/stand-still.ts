// Preloaded into a vault, its worker threads included. SIGUSR2 stops the event loop for good; once there is the
// file that STAND_STILL_FILE names, the ledger's thread stops in the middle of its next commit. That it
// happens is told over the notify socket.

import { subscribe } from "node:diagnostics_channel"
import { existsSync, writeSync } from "node:fs"
import { isMainThread } from "node:worker_threads"

// The vault removes NOTIFY_FD before it starts its thread.
process.env["STAND_STILL_FD"] ??= process.env["NOTIFY_FD"] ?? ""
const notify = Number(process.env["STAND_STILL_FD"])
const file = process.env["STAND_STILL_FILE"]

if (isMainThread) {
  process.on("SIGUSR2", () => {
    writeSync(notify, "STATUS=standing still")
    for (;;);
  })
} else if (file !== undefined) {
  subscribe("countersign.commit", () => {
    if (!existsSync(file)) return
    writeSync(notify, "STATUS=the ledger stands still")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
}
