import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"

/** Installs what the benchmarks compare with, once; where that fails they run without it and say so. */
export async function installBeside(): Promise<void> {
  if (existsSync(join(import.meta.dirname, "node_modules"))) return
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "ignore", "inherit"],
  })
  npm.on("error", () => undefined) // no npm; "close" follows
  await once(npm, "close")
}
