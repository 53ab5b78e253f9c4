import { Fault } from "../../std/fault.ts"
import { agreeToShown } from "../cli/confirm-deed.ts"
import { flag, optionalArgument } from "../cli/options.ts"
import { shownText, tell } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import { adminCommand } from "../installation/admin-command.ts"
import type { Admin } from "../installation/admin.ts"
import { changeLine } from "./change-line.ts"

/** `countersign policy rollback [HASH]`; without a hash it shows the set before this one, and asks. */
export const policyRollback = adminCommand({
  changes: "installation",
  description: "put the set of files before this one in force again, or an earlier one",
  examples: ["countersign policy rollback", "countersign policy rollback --yes"],
  options: {
    hash: optionalArgument("[hash]", "an earlier set, by the hash of its files"),
    yes: flag("--yes", "don't ask"),
  },
  call: async (admin, { hash, yes }, terminal) => {
    if (admin.daemon !== "running") {
      throw new Fault(
        "vault_unavailable",
        "No daemon runs here; put the earlier files back instead.",
      )
    }
    return admin.call("rollback", { hash: hash ?? (await agreedTo(admin, yes, terminal)) })
  },
  print: ({ policy_hash }) => [
    `The earlier set is in force: ${policy_hash}`,
    "It stays so over every start, until the next reload: fix the files on disk before that.",
  ],
})

/** The hash of the set before this one, once a person has seen what it changes. */
async function agreedTo(
  admin: Pick<Admin, "call">,
  yes: boolean,
  terminal: Terminal,
): Promise<string> {
  const { hash, changes } = await admin.call("setBefore", {})
  tell(
    terminal,
    shownText([...changes.map(changeLine), `The set before this one: ${hash}`], terminal),
  )
  await agreeToShown(terminal, { yes, question: "Put it in force again?" })
  return hash
}
