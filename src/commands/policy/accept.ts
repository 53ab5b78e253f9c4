import type { CandidateView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { command } from "../cli/command.ts"
import { confirmDeed, agreeToShown, type Terminal } from "../cli/terminal.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import { option, flag, optionalArgument } from "../cli/options.ts"
import { print, shownText, tell } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"
import type { Admin } from "../installation/admin.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
  tellChanged,
} from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { raiseLines, changeLine } from "./in-force-lines.ts"

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
