import { Fault } from "../../std/fault.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-jobs.ts"
import { command } from "../cli/command.ts"
import { flag, option, parsed, withDefault } from "../cli/options.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { auditCallOf, lastEntries } from "./entries-of.ts"
import { entryWords } from "./entry-words.ts"
import { followEntries } from "./follow.ts"
import { shownEntry } from "./shown-entry.ts"

/** `countersign audit tail --follow` */
export const auditTail = command({
  description: "show the last entries of the ledger",
  examples: [
    "countersign audit tail -n 50 --client mm-bot",
    "countersign audit tail --follow --json | jq .row",
  ],
  options: {
    count: parsed(withDefault(option("-n, --lines <count>", "how many"), "20"), parseCount),
    client: option("--client <name>", "those of one client"),
    key: option("--key <name>", "those of one key"),
    kind: option("--kind <kind>", "those of one kind, such as request, refusal or act"),
    follow: flag("--follow", "keep showing new entries, until Ctrl-C"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ count, client, key, kind, follow, json, ...options }, terminal) => {
    const filter = { client, key, kind }
    const installation = installationOf(options)
    const lineOf = json ? shownEntry : (entry: StoredEntry) => `${entryWords(entry)}\n`
    const show = (shown: readonly StoredEntry[]): void => {
      terminal.stdout.write(shown.map(lineOf).join(""))
    }
    const { entries, seq } = await withAdmin(installation, (admin) =>
      lastEntries(auditCallOf(admin), count, filter),
    )
    show(entries)
    if (follow) await followEntries({ installation, afterSeq: seq, filter, show, terminal })
    return 0
  },
})

const maxLines = 100_000

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= maxLines) return count
  throw new Fault("usage", `--lines takes a number from 0 to ${maxLines}.`)
}
