import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { countersign, type Ended } from "./countersign.ts"
import { repositoryRoot } from "./markdown.ts"

/** A configuration directory with the shipped policies and their cases, as CI has one: no state, no keys, no daemon. */
export type PolicySite = {
  readonly dir: string
  /** Runs `countersign policy test` on it. */
  readonly test: (...more: readonly string[]) => Promise<Ended>
  /** Puts another text in place of one that the file has. @throws when it hasn't. */
  readonly change: (file: string, text: string, other: string) => void
  readonly write: (file: string, text: string) => void
  readonly remove: () => void
}

/** Makes one whose venue is the sandbox, with what moves funds disclosed. */
export function makePolicySite(): PolicySite {
  const dir = mkdtempSync(join(tmpdir(), "cs-policies-"))
  const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
  const write = (file: string, text: string) => {
    writeFileSync(join(dir, file), text, { mode: 0o600 })
  }
  cpSync(join(repositoryRoot, "policies"), join(dir, "policies"), { recursive: true })
  write("countersign.yaml", "keystore: {backend: memory}\n")
  write("venue.yaml", venue.replaceAll(/^ {2}#(transfer|withdraw):/gm, "  $1:"))
  return {
    dir,
    test: (...more) => countersign(["policy", "test", ...more, "--dir", dir]),
    change(file, text, other) {
      const before = readFileSync(join(dir, file), "utf8")
      if (!before.includes(text)) throw new Error(`${file} has no ${text}`)
      write(file, before.replace(text, other))
    },
    write,
    remove: () => {
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
