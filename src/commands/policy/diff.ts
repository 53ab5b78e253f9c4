import { filesNamed, lastInForce } from "../../audit/past-files.ts"
import type { FileText } from "../../vault/config/load-files.ts"
import { hashTexts, parseFileSet } from "../../vault/config/load-files.ts"
import { begunAnew, changesBetween, type Change } from "../../audit/widening.ts"
import { flag, option, optionalArgument } from "../cli/command.ts"
import { tell } from "../cli/print.ts"
import { withLedger } from "../installation/admin.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { changeLines, textLines, widthBeside } from "./change-lines.ts"

type Texts = readonly FileText[]

/** `countersign policy diff`: the files on disk beside those in force, or any two sets. */
export const policyDiff = installationCommand({
  description: "show what is different between the files on disk and those in force",
  notes: `
What may allow more comes first. It ends with 0 where nothing is different, and with 1 where something is.`,
  examples: [
    "countersign policy diff",
    "countersign policy diff --side-by-side --against 6fa486da8f3eb2843ed96643b0fc927f14aaf9324b558b9e9b8606c3b094b66b",
  ],
  options: {
    hash: optionalArgument("[hash]", "in place of the files on disk, those that a hash names"),
    against: option("--against <hash>", "in place of the files in force, those that a hash names"),
    sideBySide: flag(
      "--side-by-side",
      "the texts beside each other, where the terminal is wide enough",
    ),
  },
  answer: async (installation, { hash, against, sideBySide }, terminal) => {
    becomeOwner(installation.stateDir)
    const onDisk = hash === undefined ? (await loadCheckedFiles(installation)).texts : undefined
    const sets = await withLedger(installation, (ledger) => ({
      from: against === undefined ? lastInForce(ledger) : filesNamed(ledger, against),
      to: hash === undefined ? (onDisk ?? []) : filesNamed(ledger, hash),
    }))
    const { columns = Infinity } = terminal.stdout
    const fits = columns >= widthBeside(sets.from, sets.to)
    if (sideBySide && !fits) tell(terminal, "The terminal is too narrow to show them side by side.")
    return { ...sets, width: sideBySide && fits ? widthBeside(sets.from, sets.to) : undefined }
  },
  json: ({ from, to }) => ({
    ...{ from: hashTexts(from), to: hashTexts(to), changes: changesOf(from, to) },
    files: { from, to },
  }),
  print: ({ from, to, width }) =>
    isAlike(from, to)
      ? ["They are alike."]
      : [...changeLines(changesOf(from, to)), ...textLines(from, to, width)],
  exitCode: ({ from, to }) => (isAlike(from, to) ? 0 : 1),
})

function isAlike(from: Texts, to: Texts): boolean {
  return hashTexts(from) === hashTexts(to)
}

/** All that is different, with the limits that would begin to count anew. */
export function changesOf(from: Texts, to: Texts): readonly Change[] {
  const [before, after] = [parseFileSet(from), parseFileSet(to)]
  const anew = before.ok && after.ok ? begunAnew(before.value.policies, after.value.policies) : []
  return [...changesBetween(from, to), ...anew]
}
