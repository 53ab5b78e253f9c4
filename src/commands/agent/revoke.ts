import type { Command } from "commander"

import { command, runs, withExamples, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { sendSigned } from "../send-signed.ts"
import { withVault } from "../with-vault.ts"
import { accessWithKeys, withPassphrase, type AgentOptions } from "./agent-options.ts"

/** `countersign agent revoke NAME`: at the venue, where its struct is in venue.yaml; then it never signs again. */
export function agentRevoke(): Command {
  const made = command("revoke", "end an agent key's approval at the venue").argument(
    "<name>",
    "the agent key",
  )
  withExamples(made, "countersign agent revoke mm")
  return runs<AgentOptions>(
    withJson(withInstallation(withPassphrase(made))),
    async (options, name = "") => {
      const accepted = await withVault(accessWithKeys(options), async (admin) =>
        sendSigned(
          await admin.call("revokeAgent", { agent: name }),
          admin,
          `the revocation of ${name}`,
        ),
      )
      print(accepted, options, ({ record }) => [
        `${name} is revoked and never signs again (record ${record}).`,
      ])
    },
  )
}
