import type { Command } from "commander"

import { command, runs, withExamples, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { sendSigned } from "../send-signed.ts"
import { withVault } from "../with-vault.ts"
import {
  accessWithKeys,
  daysOf,
  untilText,
  withPassphrase,
  withTerm,
  type AgentOptions,
} from "./agent-options.ts"

type RenewOptions = AgentOptions & { readonly validDays?: number; readonly label?: string }

/** `countersign agent renew NAME`: where the venue's struct is in venue.yaml. */
export function agentRenew(): Command {
  const made = command("renew", "make an agent key's approval longer at the venue").argument(
    "<name>",
    "the agent key",
  )
  withExamples(made, "countersign agent renew mm --valid-days 30")
  return runs<RenewOptions>(
    withJson(withInstallation(withPassphrase(withTerm(made)))),
    async (options, name = "") => {
      const ask = { agent: name, validDays: daysOf(options), label: options.label ?? name }
      const accepted = await withVault(accessWithKeys(options), async (admin) =>
        sendSigned(await admin.call("renewAgent", ask), admin, `the renewal of ${name}`),
      )
      print(accepted, options, ({ record, key }) => [
        `${name} is approved ${untilText(key)} (record ${record}).`,
      ])
    },
  )
}
