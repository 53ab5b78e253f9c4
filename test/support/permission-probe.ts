// Runs under the gate's permission flags and tries what they forbid. Prints what came of each attempt.

import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { open as openInspector } from "node:inspector"
import { join } from "node:path"
import { writeHeapSnapshot } from "node:v8"
import { Worker } from "node:worker_threads"

const [, , secretFile = "", directory = ""] = process.argv
const inside = new URL("..", import.meta.url)

const attempts: Readonly<Record<string, () => unknown>> = {
  readOutside: () => readFileSync(secretFile),
  listOutside: () => readdirSync(directory),
  writeOutside: () => writeFileSync(join(directory, "written"), ""),
  writeInside: () => writeFileSync(new URL("written-by-probe", inside), ""),
  makeDirectory: () => mkdirSync(join(directory, "made")),
  symlink: () => symlinkSync(secretFile, new URL("linked-by-probe", inside)),
  spawn: () => spawnSync("/bin/true").error ?? "ran",
  worker: () => new Worker("", { eval: true }),
  addon: () => process.dlopen({ exports: {} }, join(directory, "addon.node")),
  database: async () => {
    const { DatabaseSync } = await import("node:sqlite")
    new DatabaseSync(join(directory, "probe.db")).exec("CREATE TABLE t (a)")
  },
  inspector: () => openInspector(0, "127.0.0.1", false),
  heapSnapshot: () => writeHeapSnapshot(join(directory, "heap.heapsnapshot")),
  report: () => process.report.writeReport(join(directory, "report.json")),
  profile: () => process.chdir(directory),
  wasi: async () => {
    const { WASI } = await import("node:wasi")
    return new WASI({ version: "preview1", preopens: { "/": directory } })
  },
  protoWrite: () => {
    const target = {}
    Reflect.set(target, "__proto__", { isTaken: true })
    if (!("isTaken" in target)) throw Object.assign(new Error(), { code: "NO_PROTO" })
  },
}

const results: Record<string, string> = {}
for (const [name, attempt] of Object.entries(attempts)) {
  results[name] = await codeOf(attempt)
}
console.log(JSON.stringify(results))
process.exit(0)

async function codeOf(attempt: () => unknown): Promise<string> {
  try {
    const result = await attempt()
    return result instanceof Error ? codeOfError(result) : "done"
  } catch (error) {
    return codeOfError(error)
  }
}

function codeOfError(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error)
}
