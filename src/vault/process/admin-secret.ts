import { randomBytes } from "node:crypto"
import { rename, rm, writeFile } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"

/** Makes a new admin secret and writes it for the owner alone. It lives as long as the daemon. */
export async function makeAdminSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString("base64url")
  // A name of its own, so that what a crash left is in nobody's way.
  const written = `${file}.${randomBytes(8).toString("hex")}`
  try {
    await writeFile(written, secret, { mode: 0o600, flag: "wx" })
    await rename(written, file)
  } catch (cause) {
    await rm(written, { force: true }).catch(() => undefined)
    throw unwritable(file, cause)
  }
  return secret
}

function unwritable(file: string, cause: unknown): Fault {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  return new Fault(
    "vault_unavailable",
    `${file} can't be written (${code}); check the disk's free space and its directory's owner.`,
    { cause },
  )
}
