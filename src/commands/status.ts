import { fixHere } from "./doctor/file-findings.ts"
import { askStatus } from "./installation/ask-status.ts"
import { installationCommand } from "./installation/installation-command.ts"
import { withAdmin } from "./installation/with-vault.ts"
import { statusLines } from "./status/status-lines.ts"

/** `countersign status`: ends with 1 where nothing is signed, so that scripts can ask too. */
export const status = installationCommand({
  description: "show what is signed, keys, clients, limits and last refusals",
  examples: ["countersign status", "countersign status --json"],
  answer: (installation) =>
    withAdmin(installation, async (admin) => {
      const { state, warnings, ...told } = await askStatus(admin)
      const here = <Told extends { readonly fix: string }>(each: Told): Told => ({
        ...each,
        fix: fixHere(each.fix, installation),
      })
      const reasons = state.reasons.map(here)
      return {
        daemon: admin.daemon,
        ...told,
        state: { ...state, reasons },
        warnings: warnings.map(here),
      }
    }),
  print: (answer) => statusLines(answer, Date.now()),
  exitCode: ({ state }) => (state.signs === "nothing" ? 1 : 0),
})
