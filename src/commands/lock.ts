import type { Command } from "commander"

import { Fault } from "../std/fault.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { print, type Printing } from "./print.ts"
import { withVault, type Admin } from "./with-vault.ts"

/** `countersign lock`: the daemon goes on answering, and signs nothing. */
export function lock(): Command {
  const made = command("lock", "overwrite the keys in the daemon's memory until they are unlocked")
  withExamples(made, "countersign lock")
  return runs<InstallationOptions & Printing>(withJson(withInstallation(made)), async (options) => {
    const answer = await withVault(
      { installation: installationOf(options), keys: "not_needed" },
      async (admin) => {
        assertRunning(admin)
        return admin.call("lock", {})
      },
    )
    print(answer, options, () => [
      "Locked: no key is in memory. countersign unlock brings them back, and so does a restart of the daemon; countersign freeze holds through one.",
    ])
  })
}

/** @throws {Fault} `vault_unavailable` where no daemon has keys in memory. */
export function assertRunning({ daemon }: Pick<Admin, "daemon">): void {
  if (daemon === "running") return
  throw new Fault(
    "vault_unavailable",
    "No daemon runs here, so no key is in memory; countersign serve starts one.",
  )
}
