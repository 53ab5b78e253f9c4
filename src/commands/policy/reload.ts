import { Fault } from "../../std/fault.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { raiseLines } from "../limits/raise-lines.ts"

/** `countersign policy reload` */
export const policyReload = adminCommand({
  changes: "installation",
  description: "have the daemon load its files anew: all of them, or none",
  examples: ["countersign policy check && countersign policy reload"],
  call: async (admin) => {
    if (admin.daemon === "running")
      return { ...(await admin.call("reload", {})), raises: await admin.call("listRaises", {}) }
    throw new Fault(
      "vault_unavailable",
      "No daemon runs here; countersign serve reads the files when it starts.",
    )
  },
  print: ({ policy_hash, raises, warnings }) => [
    `The files are in force: ${policy_hash}`,
    ...raiseLines(raises),
    ...warnings.map((warning) => `warning: ${warning}`),
  ],
})
