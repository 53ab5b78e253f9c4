import { randomBytes } from "node:crypto"
import { readFile, rename, writeFile } from "node:fs/promises"

/** Makes a new admin secret and writes it for the owner alone. It lives as long as the daemon. */
export async function makeAdminSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString("base64url")
  const written = `${file}.${process.pid}`
  await writeFile(written, secret, { mode: 0o600, flag: "wx" })
  await rename(written, file)
  return secret
}

/** The admin secret, or `undefined` when no daemon ever wrote one here. */
export async function readAdminSecret(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined // fs throws ErrnoExceptions
    throw error
  })
}
