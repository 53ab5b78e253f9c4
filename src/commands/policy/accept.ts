import { confirm, isCancel } from "@clack/prompts"
import type { Command } from "commander"

import type { CandidateView } from "../../link/views.ts"
import { Fault } from "../../std/fault.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

type AcceptOptions = InstallationOptions & Printing & { readonly hash?: string }

/** `countersign policy accept`: shows what is different on disk, and takes a person's word for it. */
export function policyAccept(): Command {
  const made = command(
    "accept",
    "show what has changed in the files and which of it widens, and accept it",
  ).option(
    "--hash <hash>",
    "accept the files with this hash without asking; without a terminal, the only way to accept",
  )
  withExamples(made, "countersign policy accept")
  return runs<AcceptOptions>(withJson(withInstallation(made)), (options) =>
    withAdmin(options, async (admin) => {
      const shown = await admin.call("candidate", {})
      print(shown, options, candidateLines)
      if (shown.accepted || !(await isConfirmed(shown, options))) return
      const { policy_hash } = await admin.call("acceptPolicy", { hash: shown.hash })
      if (options.json !== true) process.stdout.write(`Accepted, and in force: ${policy_hash}\n`)
    }),
  )
}

async function isConfirmed({ hash }: CandidateView, options: AcceptOptions): Promise<boolean> {
  if (options.hash !== undefined) {
    if (options.hash === hash) return true
    throw new Fault(
      "usage",
      "--hash isn't the hash of the files as they are now; look at them again.",
    )
  }
  if (!process.stdin.isTTY) return false
  const answer = await confirm({ message: "Accept these changes?", initialValue: false })
  return !isCancel(answer) && answer
}

function candidateLines({ hash, accepted, changes }: CandidateView): readonly string[] {
  if (accepted) return ["The files on disk are the ones that were accepted."]
  const lines = changes.map(
    ({ file, where, from, to, widens }) =>
      `${widens ? "WIDENS " : "       "} ${file} ${where}: ${from ?? "-"} → ${to ?? "-"}`,
  )
  return [
    ...lines,
    "",
    `To accept them without a terminal: countersign policy accept --hash ${hash}`,
  ]
}
