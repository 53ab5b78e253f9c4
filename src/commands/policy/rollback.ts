import { Fault } from "../../std/fault.ts"
import { optionalArgument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign policy rollback [HASH]` */
export const policyRollback = adminCommand({
  changes: "installation",
  description: "put the set of files before this one in force again, or an earlier one",
  examples: ["countersign policy rollback"],
  options: { hash: optionalArgument("[hash]", "an earlier set, by the hash of its files") },
  call: (admin, { hash }) => {
    if (admin.daemon === "running")
      return admin.call("rollback", hash === undefined ? {} : { hash })
    throw new Fault("vault_unavailable", "No daemon runs here; put the earlier files back instead.")
  },
  print: ({ policy_hash }) => [
    `The earlier set is in force: ${policy_hash}`,
    "It stays so over every start, until the next reload: fix the files on disk before that.",
  ],
})
