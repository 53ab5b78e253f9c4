import type { Command } from "commander"

import { becomeOwner } from "./become-owner.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "./command.ts"
import { examine } from "./doctor/examine.ts"
import { findingLines } from "./doctor/finding-lines.ts"
import { print, type Printing } from "./print.ts"

/** `countersign doctor`: ends with 1 when anything fails, so that scripts can ask too. */
export function doctor(): Command {
  const made = command(
    "doctor",
    "look for what is wrong with an installation, and say what mends it",
  )
  withExamples(made, "countersign doctor", "countersign doctor --dir ~/countersign-try --json")
  return runs<InstallationOptions & Printing>(withJson(withInstallation(made)), async (options) => {
    const installation = installationOf(options)
    becomeOwner(installation.stateDir)
    const findings = await examine(installation)
    const answer = { ok: findings.every(({ state }) => state !== "fail"), findings }
    print(answer, options, () => findingLines(findings))
    if (!answer.ok) process.exitCode = 1
  })
}
