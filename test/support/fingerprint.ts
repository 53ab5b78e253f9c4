import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** Mode and content of everything in a directory, itself included, by path from it on. */
export function fingerprint(directory: string): Readonly<Record<string, string>> {
  const names = ["", ...readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()]
  return Object.fromEntries(names.map((name) => [name, printOf(join(directory, name))]))
}

function printOf(path: string): string {
  const stats = lstatSync(path)
  const mode = stats.mode.toString(8)
  if (stats.isSymbolicLink()) return `${mode} ${readlinkSync(path)}`
  // Whoever takes a lock writes it, and whoever reads a ledger marks that in its shared memory.
  if (!stats.isFile() || /\.lock$|-shm$/.test(path)) return mode
  return `${mode} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`
}
