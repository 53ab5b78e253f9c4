import { takeFilesOnDisk } from "../../vault/config/kept-set.ts"
import { loadFiles } from "../../vault/config/load-files.ts"
import { assertShown } from "../../vault/operator/files-in-force.ts"
import { option } from "../cli/options.ts"
import { dialAdmin } from "../installation/admin.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { raiseLines } from "./in-force-lines.ts"

/** `countersign policy reload`: where no daemon runs, it is the next start that takes the files on disk. */
export const policyReload = installationCommand({
  changes: "installation",
  description: "have the daemon, or its next start, load the files on disk: all of them, or none",
  examples: ["countersign policy check && countersign policy reload"],
  options: {
    hash: option(
      "--hash <hash>",
      "only if the files on disk have this hash, which policy check shows",
    ),
  },
  answer: async (installation, { hash }) => {
    becomeOwner(installation.stateDir)
    const admin = await dialAdmin(installation)
    if (admin !== undefined) {
      try {
        const reloaded = await admin.call("reload", hash === undefined ? {} : { hash })
        const raises = await admin.call("listRaises", {})
        return { daemon: "running" as const, ...reloaded, raises }
      } finally {
        admin.close()
      }
    }
    const files = await loadFiles(installation)
    const { policyHash } = files
    if (hash !== undefined) assertShown(files, hash)
    await takeFilesOnDisk(installation)
    return { daemon: "stopped" as const, policy_hash: policyHash, raises: [], warnings: [] }
  },
  print: ({ daemon, policy_hash, raises, warnings }) => [
    daemon === "running"
      ? `The files are in force: ${policy_hash}`
      : `No daemon runs here; its next start takes the files on disk: ${policy_hash}`,
    ...raiseLines(raises),
    ...warnings.map((warning) => `warning: ${warning}`),
  ],
})
