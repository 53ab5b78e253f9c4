import { loadFiles } from "../../vault/config/load-files.ts"
import { flag } from "../cli/options.ts"
import { becomeOwner } from "../installation/become-owner.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { fileWarnings } from "./file-warnings.ts"
import { checkNames } from "./name-warnings.ts"

/** `countersign policy check` */
export const policyCheck = installationCommand({
  description: "read countersign.yaml, venue.yaml and every policy, and say what is wrong",
  examples: [
    "countersign policy check",
    "countersign policy check --strict --dir ~/countersign-try",
  ],
  options: { strict: flag("--strict", "fail where there is a warning, for scripts") },
  answer: async (installation) => {
    becomeOwner(installation.stateDir)
    const files = await loadFiles(installation)
    const names = await checkNames(files.policies, installation)
    return {
      valid: true,
      policy_hash: files.policyHash,
      policies: files.policies.map((policy) => policy.name),
      warnings: [...fileWarnings(files), ...names.warnings],
      notes: names.notes,
    }
  },
  print: ({ policies, warnings, notes }) => [
    policies.length === 0
      ? "All files are valid. No policy has a rule, so nothing is allowed."
      : `All files are valid. Policies: ${policies.join(", ")}.`,
    ...warnings.map((warning) => `warning: ${warning}`),
    ...notes.map((note) => `note: ${note}`),
  ],
  exitCode: ({ warnings }, { strict }) => (strict && warnings.length > 0 ? 1 : 0),
})
