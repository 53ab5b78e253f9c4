import { command } from "./cli/command.ts"
import { flag } from "./cli/options.ts"
import { print } from "./cli/print.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "./installation/installation-command.ts"
import { withAdmin } from "./installation/with-vault.ts"
import { shownStatus } from "./status/shown-status.ts"
import { statusLines } from "./status/status-lines.ts"
import { watchStatus } from "./status/watch-status.ts"

/** `countersign status`: ends with 1 where nothing is signed, so that scripts can ask too. */
export const status = command({
  description: "show what is signed, keys, clients, limits and last refusals",
  examples: ["countersign status", "countersign status --json", "countersign status --watch"],
  options: {
    watch: flag("--watch", "show it anew every 2 s, until Ctrl-C; with --json a line each"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ watch, json, ...options }, terminal) => {
    const installation = installationOf(options)
    if (watch) {
      await watchStatus(installation, { terminal, json })
      return 0
    }
    const answer = await withAdmin(installation, (admin) => shownStatus(admin, installation))
    print(answer, { terminal, json }, (shown) => statusLines(shown, Date.now()))
    return answer.state.signs === "nothing" ? 1 : 0
  },
})
