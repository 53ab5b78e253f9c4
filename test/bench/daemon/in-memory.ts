import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"

/** Where `make` puts what it makes is a directory in memory, as are the marks of the signers of those it starts. */
export async function inMemory<Made>(make: () => Promise<Made>): Promise<Made> {
  const directory = mkdtempSync("/dev/shm/cs-bench-")
  process.once("exit", () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))
  const { TMPDIR, XDG_STATE_HOME } = process.env
  Object.assign(process.env, { TMPDIR: directory, XDG_STATE_HOME: join(directory, "state") })
  try {
    return await make()
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = TMPDIR
    if (XDG_STATE_HOME === undefined) delete process.env["XDG_STATE_HOME"]
    else process.env["XDG_STATE_HOME"] = XDG_STATE_HOME
  }
}
