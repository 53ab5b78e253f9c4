import { target } from "./layout.ts"

/**
 * A command of the system's. `install-service` runs these, and the same lines are in the Debian package's scripts:
 * there is no other list. What sysusers.d and tmpfiles.d can say is said there.
 */
export type SystemCommand = {
  readonly words: readonly [program: string, ...args: string[]]
  /** It asks systemd, so it is left out where none runs: in a chroot, in an image that is being built. */
  readonly needsSystemd: boolean
}

const config = "countersign.conf"
const reload = asking("daemon-reload")

/** Once the files are in place. Starts nothing, and may be run again at any time. */
export const setUp: readonly SystemCommand[] = [
  { words: ["systemd-sysusers", config], needsSystemd: false },
  { words: ["systemd-tmpfiles", "--create", config], needsSystemd: false },
  reload,
]

/** Before the files of these units go. */
export function takeDown(units: readonly string[]): readonly SystemCommand[] {
  // First the target, which stops all of them at once, so that no socket starts its service again meanwhile.
  const names = [
    ...units.filter((name) => name === target),
    ...units.filter((name) => name !== target),
  ]
  return [
    { words: ["systemctl", "--quiet", "--no-reload", "disable", ...names], needsSystemd: false },
    asking("stop", ...names),
    // A pattern: a unit that systemd has forgotten already isn't missed.
    asking("reset-failed", "countersign*"),
  ]
}

/** Once the files are gone. Users and directories stay: the files in these are theirs. */
export const forget: readonly SystemCommand[] = [reload]

function asking(...words: readonly string[]): SystemCommand {
  return { words: ["systemctl", ...words], needsSystemd: true }
}
