import type { CandidateView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { confirmDeed } from "../cli/confirm-deed.ts"
import { command } from "../cli/command.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import { option } from "../cli/options.ts"
import { print, shownText } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
  tellChanged,
} from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { raiseLines } from "../limits/raise-lines.ts"
import { changeLine } from "./change-line.ts"

/** `countersign policy accept`: shows what is different on disk, and takes a person's word for it. */
export const policyAccept = command({
  description: "show what changed in the files and what of it allows more, and accept it",
  examples: ["countersign policy accept"],
  options: {
    hash: option(
      "--hash <hash>",
      "accept the files with this hash without asking; without a terminal, the only way to accept",
    ),
    ...installationOptions,
    ...jsonOption,
  },
  run: ({ hash, json, ...options }, terminal) => {
    const installation = installationOf(options)
    return withAdmin(installation, async (admin): Promise<ExitCode> => {
      const shown = await admin.call("candidate", {})
      print(shown, { terminal, json }, candidateLines)
      if (shown.accepted || (hash === undefined && !terminal.prompts.canAsk())) return 0
      await assertConfirmed(shown, hash, terminal)
      const { policy_hash } = await admin.call("acceptPolicy", { hash: shown.hash })
      tellChanged(installation, terminal)
      const raised = raiseLines(await admin.call("listRaises", {}))
      const lines = [`Accepted, and in force: ${policy_hash}`, ...raised]
      if (!json) terminal.stdout.write(`${shownText(lines, terminal)}\n`)
      return 0
    })
  },
})

/** @throws {Fault} `usage` of another hash, `cancelled` of a no. */
async function assertConfirmed(
  { hash }: CandidateView,
  accepted: string | undefined,
  terminal: Terminal,
): Promise<void> {
  if (accepted === undefined) return confirmDeed(terminal, "Accept these changes?")
  if (accepted === hash) return
  throw new Fault(
    "usage",
    "The files on disk have another hash than --hash says; look at them again.",
  )
}

function candidateLines({ hash, accepted, changes }: CandidateView): readonly string[] {
  if (accepted) return ["The files on disk are the ones that were accepted."]
  return [
    ...changes.map(changeLine),
    "",
    `To accept them without a terminal: countersign policy accept --hash ${hash}`,
  ]
}
