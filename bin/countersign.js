#!/usr/bin/env node
// Plain JavaScript that old Nodes can read: it says which Node is needed, then runs the sources in a
// checkout, or what was built from them in a package.
import { existsSync } from "node:fs"

const oldestMajor = 24
const major = Number(process.versions.node.split(".")[0])
if (major < oldestMajor) {
  console.error(
    `countersign needs Node ${oldestMajor} or newer; this is Node ${process.versions.node}.`,
  )
  process.exit(1)
}
const source = new URL("../src/main.ts", import.meta.url)
await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href)
