import { Fault } from "./fault.ts"

// The first descriptor that systemd passes, sd_listen_fds(3).
const firstDescriptor = 3

/**
 * The sockets that systemd opened for this process, by the name in their unit (`FileDescriptorName=`); empty if
 * there are none. Child processes don't inherit them.
 *
 * @throws {Fault} `usage` when they have no names, or one name twice.
 */
export function listenFds(
  environment: NodeJS.ProcessEnv = process.env,
  pid = process.pid,
): ReadonlyMap<string, number> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES } = environment
  delete environment["LISTEN_PID"]
  delete environment["LISTEN_FDS"]
  delete environment["LISTEN_FDNAMES"]
  if (LISTEN_PID !== String(pid)) return new Map()
  const count = Number(LISTEN_FDS)
  const names = (LISTEN_FDNAMES ?? "").split(":")
  if (names.length !== count || new Set(names).size !== count) {
    throw new Fault(
      "usage",
      "The sockets that systemd hands over need a FileDescriptorName= each, all different.",
    )
  }
  return new Map(names.map((name, index) => [name, firstDescriptor + index]))
}
