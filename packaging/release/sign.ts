// Signs a release: `node packaging/release/sign.ts --in DIRECTORY --key FILE [--signers FILE]` writes SHA256SUMS over all
// files of the directory, and SHA256SUMS.sig. The key is a private one, or a public one whose other half ssh-agent has.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { run } from "../deb/run.ts"
import { inventory, sumsOf } from "../inventory.ts"

const listed = fileURLToPath(new URL("../../docs/release-signers", import.meta.url))
/** As docs/releases.md and the list of signers say them. */
const identity = "releases@countersign"
const namespace = "countersign-release"

try {
  const { values } = parseArgs({
    options: {
      in: { type: "string" },
      key: { type: "string" },
      signers: { type: "string", default: listed },
    },
  })
  if (values.in === undefined || values.key === undefined) {
    throw new Error("Say what to sign and by which key: --in DIRECTORY --key FILE.")
  }
  sign(values.in, { key: values.key, signers: values.signers })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** @throws where users couldn't verify it; then no signature is left. */
function sign(
  directory: string,
  { key, signers }: { readonly key: string; readonly signers: string },
): void {
  const sums = join(directory, inventory.sums)
  const signature = `${sums}.sig`
  for (const path of [sums, signature]) rmSync(path, { force: true })
  writeFileSync(sums, sumsOf(directory, filesOf(directory)))
  run("ssh-keygen", ["-Y", "sign", "-q", "-f", key, "-n", namespace, sums])
  const by = ["-f", signers, "-I", identity, "-n", namespace, "-s", signature]
  try {
    run("ssh-keygen", ["-Y", "verify", "-q", ...by], { input: readFileSync(sums) })
  } catch (cause) {
    rmSync(signature)
    throw new Error(`Nothing is signed: ${signers} doesn't list this key for releases.`, { cause })
  }
}

/** Sorted. @throws where there is none, or something else than a file, which a sum couldn't cover. */
function filesOf(directory: string): readonly string[] {
  const entries = readdirSync(directory, { withFileTypes: true })
  const other = entries.find((entry) => !entry.isFile())
  if (other !== undefined) throw new Error(`${other.name} is no file: a release has nothing else.`)
  if (entries.length === 0) throw new Error(`${directory} is empty: there is nothing to sign.`)
  return entries.map(({ name }) => name).sort()
}
