import { Fault } from "../../std/fault.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign policy reload` */
export const policyReload = adminCommand({
  changes: "installation",
  description: "have the daemon load its files anew: all of them, or none",
  examples: ["countersign policy check && countersign policy reload"],
  call: (admin) => {
    if (admin.daemon === "running") return admin.call("reload", {})
    throw new Fault(
      "vault_unavailable",
      "No daemon runs here; countersign serve reads the files when it starts.",
    )
  },
  print: ({ policy_hash, warnings }) => [
    `The files are in force: ${policy_hash}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ],
})
