import type { User } from "../../console/serve/drop-rights.ts"
import { Fault } from "../../std/fault.ts"

/** Linux's user who owns nothing. */
const nobody: User = { uid: 65_534, gid: 65_534 }

/**
 * Who the console's server is where root starts it: the user behind sudo, else nobody; never root, nor `owner`, whose
 * files the keys are. `undefined` where an ordinary user starts it, who can make it nobody else.
 *
 * @throws {Fault} `usage` where the installation is nobody's.
 */
export function serverUser(
  owner: User | undefined,
  {
    uid = process.getuid?.(),
    environment = process.env,
  }: { readonly uid?: number | undefined; readonly environment?: NodeJS.ProcessEnv } = {},
): User | undefined {
  if (uid !== 0) return undefined
  const behind = {
    uid: idOf(environment["SUDO_UID"]),
    gid: idOf(environment["SUDO_GID"]),
  }
  const isFit = (user: User): boolean =>
    ![0, owner?.uid].includes(user.uid) && ![0, owner?.gid].includes(user.gid)
  const fit = [behind, nobody].find(isFit)
  if (fit !== undefined) return fit
  throw new Fault(
    "usage",
    "The console's server runs as the user nobody, who owns this installation; give the installation a user of its own.",
  )
}

/** The largest but one of 32 bits: the largest stands for none (setreuid(2)). */
const largestId = 4_294_967_294

/** 0, which is never fit, where it isn't an id. */
function idOf(text = ""): number {
  return /^\d{1,10}$/.test(text) && Number(text) <= largestId ? Number(text) : 0
}
