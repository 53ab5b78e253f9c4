import { ok, fail, type Finding } from "./finding.ts"

/** As package.json and the launcher have it. */
const oldestMajor = 24

/** Whether this Node can run the daemon, and whether it lets the vault give the network up. */
export function nodeFinding(version: string, flags: ReadonlySet<string>): Finding {
  if (Number(version.split(".")[0]) < oldestMajor) {
    return fail(
      "node",
      `This is Node ${version}; the daemon needs Node ${oldestMajor} or newer.`,
      `install the Debian package, which brings its own, or Node ${oldestMajor} or newer`,
    )
  }
  return ok(
    "node",
    flags.has("--allow-net")
      ? `Node ${version}; the vault gives the network up once it listens.`
      : `Node ${version}; it can't give the network up, so only the system around it can keep the vault off the network.`,
  )
}
