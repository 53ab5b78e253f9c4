import type { Command } from "commander"

import { loadFiles } from "../../vault/load-files.ts"
import { fileWarnings } from "../../vault/warnings.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"

/** `countersign policy check` */
export function policyCheck(): Command {
  const made = withJson(
    withInstallation(
      command("check", "read countersign.yaml, venue.yaml and every policy, and say what is wrong"),
    ),
  )
  withExamples(made, "countersign policy check", "countersign policy check --dir ~/countersign-try")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const files = await loadFiles(installationOf(options))
    const answer = {
      valid: true,
      policies: files.policies.map((policy) => policy.name),
      warnings: fileWarnings(files),
    }
    print(answer, options, ({ policies, warnings }) => [
      policies.length === 0
        ? "All files are valid. No policy has a rule, so nothing is allowed."
        : `All files are valid. Policies: ${policies.join(", ")}.`,
      ...warnings.map((warning) => `warning: ${warning}`),
    ])
  })
}
