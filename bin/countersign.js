#!/usr/bin/env node
// Plain JavaScript that old Nodes can read: it finds a Node that is new enough, then runs the sources in a
// checkout, or what was built from them in a package.
import { spawn } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const oldestMajor = 24
/** The one that `npm ci` brings into a checkout. */
const ownNode = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url))

if (Number(process.versions.node.split(".")[0]) >= oldestMajor) await run()
else if (existsSync(ownNode)) runOn(ownNode)
else {
  console.error(
    `countersign needs Node ${oldestMajor} or newer; this is Node ${process.versions.node}. ` +
      "Install its Debian package, which brings a Node, or run npm ci in a checkout, which does too.",
  )
  process.exitCode = 1
}

async function run() {
  keepMemoryToOurselves()
  const source = new URL("../src/main.ts", import.meta.url)
  await import(existsSync(source) ? source.href : new URL("../dist/main.js", import.meta.url).href)
}

/** Starts this again on another Node, passes signals on to it, and ends as it does. */
function runOn(node) {
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, args, { stdio: "inherit" })
  process.on("SIGINT", () => undefined) // a terminal sends it to both
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal))
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

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
