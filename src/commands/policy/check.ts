import { loadFiles } from "../../vault/config/load-files.ts"
import { becomeOwner } from "../installation/become-owner.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { fileWarnings } from "./file-warnings.ts"

/** `countersign policy check` */
export const policyCheck = installationCommand({
  description: "read countersign.yaml, venue.yaml and every policy, and say what is wrong",
  examples: ["countersign policy check", "countersign policy check --dir ~/countersign-try"],
  answer: async (installation) => {
    becomeOwner(installation.stateDir)
    const files = await loadFiles(installation)
    return {
      valid: true,
      policies: files.policies.map((policy) => policy.name),
      warnings: fileWarnings(files),
    }
  },
  print: ({ policies, warnings }) => [
    policies.length === 0
      ? "All files are valid. No policy has a rule, so nothing is allowed."
      : `All files are valid. Policies: ${policies.join(", ")}.`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ],
})
