import { flag } from "./cli/command.ts"
import { examine } from "./doctor/examine.ts"
import { findingLines } from "./doctor/finding.ts"
import { checkLive } from "./doctor/live/check-live.ts"
import { becomeOwner } from "./installation/usual-installation.ts"
import { installationCommand } from "./installation/installation-command.ts"

/**
 * `countersign doctor`: ends with 1 when anything fails, so that scripts can ask too. With `--live` it ends with 0 only
 * when all of docs/go-live.md is there.
 */
export const doctor = installationCommand({
  description: "look for what is wrong with an installation, and say what fixes it",
  examples: [
    "countersign doctor",
    "countersign doctor --dir ~/countersign-try --json",
    "countersign doctor --live",
  ],
  options: {
    live: flag("--live", "go through docs/go-live.md; sends a message to each target of notify"),
  },
  answer: async (installation, { live }) => {
    if (live) {
      const findings = await checkLive(installation)
      return { ok: findings.every(({ state }) => state === "ok"), findings }
    }
    becomeOwner(installation.stateDir)
    const findings = await examine(installation)
    return { ok: findings.every(({ state }) => state !== "fail"), findings }
  },
  print: ({ findings }) => findingLines(findings),
  exitCode: ({ ok }) => (ok ? 0 : 1),
})
