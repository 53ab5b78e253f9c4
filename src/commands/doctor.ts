import { examine } from "./doctor/examine.ts"
import { findingLines } from "./doctor/finding-lines.ts"
import { becomeOwner } from "./installation/become-owner.ts"
import { installationCommand } from "./installation/installation-command.ts"

/** `countersign doctor`: ends with 1 when anything fails, so that scripts can ask too. */
export const doctor = installationCommand({
  description: "look for what is wrong with an installation, and say what fixes it",
  examples: ["countersign doctor", "countersign doctor --dir ~/countersign-try --json"],
  answer: async (installation) => {
    becomeOwner(installation.stateDir)
    const findings = await examine(installation)
    return { ok: findings.every(({ state }) => state !== "fail"), findings }
  },
  print: ({ findings }) => findingLines(findings),
  exitCode: ({ ok }) => (ok ? 0 : 1),
})
