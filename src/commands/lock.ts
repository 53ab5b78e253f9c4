import { Fault } from "../std/fault.ts"
import { adminCommand } from "./installation/admin-command.ts"
import type { Admin } from "./installation/admin.ts"

/** `countersign lock`: the daemon goes on answering, and signs nothing. */
export const lock = adminCommand({
  changes: "installation",
  description: "overwrite the keys in the daemon's memory until they are unlocked",
  examples: ["countersign lock"],
  call: (admin) => {
    assertRunning(admin)
    return admin.call("lock", {})
  },
  print: ({ curve }) => [
    `Locked: ${curve === "libsecp256k1" ? "no key is in memory." : leftByJavaScript} countersign unlock brings them back, and so does a restart of the daemon; countersign freeze lasts over a restart.`,
  ],
})

/** What noble makes of a key can't be overwritten. */
const leftByJavaScript =
  "the daemon can't use its keys, and copies of them may still be in its memory, since it signs in JavaScript; stop it to be rid of them."

/** @throws {Fault} `vault_unavailable` where no daemon has keys in memory. */
export function assertRunning({ daemon }: Pick<Admin, "daemon">): void {
  if (daemon === "running") return
  throw new Fault(
    "vault_unavailable",
    "No daemon runs here, so no key is in memory; countersign serve starts one.",
  )
}
