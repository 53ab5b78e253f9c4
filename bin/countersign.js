#!/usr/bin/env node
// Plain JavaScript that old Nodes can read: it says which Node is needed, then runs the sources in a
// checkout, or what was built from them in a package.
import { existsSync, writeFileSync } from "node:fs"

const oldestMajor = 24
const major = Number(process.versions.node.split(".")[0])
if (major < oldestMajor) {
  console.error(
    `countersign needs Node ${oldestMajor} or newer; this is Node ${process.versions.node}.`,
  )
  process.exit(1)
}
keepMemoryToOurselves()
const source = new URL("../src/main.ts", import.meta.url)
await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href)

/** Holds for this process and, but for the signal, for those that it starts. */
function keepMemoryToOurselves() {
  // Unless somebody listens, SIGUSR1 opens an inspector, which reads everything. Old flags can't forbid it here.
  process.on("SIGUSR1", () => undefined)
  try {
    // core(5): none of the mappings that hold our data go into a core file, wherever the kernel sends it.
    writeFileSync("/proc/self/coredump_filter", "0")
  } catch {
    // Not Linux, or /proc isn't ours to write: nothing else can be done from here.
  }
}
