import { candidate, setBefore } from "../../audit/past-files.ts"
import type { CandidateView, Warning, RaiseView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visible } from "../../std/visible.ts"
import type { Change } from "../../audit/widening.ts"
import { command, option, optionalArgument } from "../cli/command.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import { print, shownText, tell, toned, type Line } from "../cli/print.ts"
import { confirmDeed, agreeToShown, type Terminal } from "../cli/terminal.ts"
import {
  adminCommand,
  installationOf,
  installationOptions,
  jsonOption,
  tellChanged,
  yesOption,
} from "../installation/installation-command.ts"
import { changeLines } from "./change-lines.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { type Admin, withAdmin } from "../installation/admin.ts"

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
      const files = await loadCheckedFiles(installation)
      const shown = await admin.readLedger((ledger) => candidate(ledger, files))
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
    ...changeLines(changes),
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
    ...yesOption,
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
  { call, readLedger }: Admin,
  yes: boolean,
  terminal: Terminal,
): Promise<string> {
  const { policy_hash } = await call("listSymbols", {})
  const { hash, changes } = await readLedger((ledger) => setBefore(ledger, policy_hash))
  tell(
    terminal,
    shownText([...changes.map(changeLine), `The set before this one: ${hash}`], terminal),
  )
  await agreeToShown(terminal, { yes, question: "Put it in force again?" })
  return hash
}

/** A difference between two sets of files in one line: `WIDENS  policies/mm.yaml rules/quote/max_quantity: "1" → "2"`. */
export function changeLine({ file, where, from, to, widens }: Change): string {
  return `${widens ? "WIDENS " : "       "} ${file} ${where}: ${from ?? "-"} → ${to ?? "-"}`
}

/** That the files on disk aren't those in force: first of all, where what is shown goes by the files. */
export function differLines(differ: Warning | null): readonly Line[] {
  if (differ === null) return []
  const lines = differ.message.split("\n").map((line) => toned(visible(line), "doubtful"))
  return [...lines, `  fix: ${differ.fix}`, ""]
}

/** A line for each raise that stands: what is allowed isn't what the files say. */
export function raiseLines(raises: readonly RaiseView[]): readonly Line[] {
  return raises.map(({ limit, to, until, max }) => {
    const files = max === null ? "the files have no such limit" : `the files say ${max}`
    const ends = utcText(until)
    return toned(
      `raised    ${limit} to ${to} until ${ends} (${files}); countersign limits raise ${limit} --end ends it`,
      "doubtful",
    )
  })
}
