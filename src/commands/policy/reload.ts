import type { RaiseView } from "../../contract/views.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { takeFilesOnDisk } from "../../vault/config/kept-set.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { assertShown } from "../../vault/operator/files-in-force.ts"
import { flag, option } from "../cli/command.ts"
import { exitCodes } from "../cli/exit-code.ts"
import type { Line } from "../cli/print.ts"
import { dialAdmin } from "../installation/admin.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { foreseeReload, foreseenLines } from "./foresee-reload.ts"
import { raiseLines } from "./in-force.ts"

/** `countersign policy reload`: where no daemon runs, it is the next start that takes the files on disk. */
export const policyReload = installationCommand({
  changes: "installation",
  description: "have the daemon, or its next start, load the files on disk: all of them, or none",
  examples: [
    "countersign policy check && countersign policy reload",
    "countersign policy reload --dry-run",
  ],
  options: {
    hash: option(
      "--hash <hash>",
      "only if the files on disk have this hash, which policy check shows",
    ),
    dryRun: flag(
      "--dry-run",
      "say what would change and what it would be told, and change nothing; the exit code is the reload's",
    ),
  },
  answer: async (installation, { hash, dryRun }) => {
    becomeOwner(installation.stateDir)
    const files = await loadCheckedFiles(installation)
    if (!dryRun) return takeFiles(files, hash, installation)
    if (hash !== undefined) assertShown(files, hash)
    return foreseeReload(files, installation)
  },
  print: (answer) => ("changes" in answer ? foreseenLines(answer) : reloadedLines(answer)),
  exitCode: (answer) =>
    "changes" in answer && answer.refusal !== null ? exitCodes[answer.refusal.code] : 0,
})

type Reloaded = {
  readonly daemon: "running" | "stopped"
  readonly policy_hash: string
  readonly raises: readonly RaiseView[]
  readonly warnings: readonly string[]
}

async function takeFiles(
  files: FileSet,
  hash: string | undefined,
  installation: Installation,
): Promise<Reloaded> {
  const admin = await dialAdmin(installation)
  if (admin === undefined) {
    const { policyHash } = files
    if (hash !== undefined) assertShown(files, hash)
    await takeFilesOnDisk(installation)
    return { daemon: "stopped", policy_hash: policyHash, raises: [], warnings: [] }
  }
  try {
    const reloaded = await admin.call("reload", { hash })
    return { daemon: "running", ...reloaded, raises: await admin.call("listRaises", {}) }
  } finally {
    admin.close()
  }
}

function reloadedLines({ daemon, policy_hash, raises, warnings }: Reloaded): readonly Line[] {
  return [
    daemon === "running"
      ? `The files are in force: ${policy_hash}`
      : `No daemon runs here; its next start takes the files on disk: ${policy_hash}`,
    ...raiseLines(raises),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}
