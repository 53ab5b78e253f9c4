import type { Command } from "commander"

import { Fault } from "../../std/fault.ts"
import { entryLine } from "../../vault/archive/archive-lines.ts"
import type { StoredEntry } from "../../vault/ledger/chain-check.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import type { Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"
import { auditCallOf, lastEntries, type Filter } from "./entries-of.ts"
import { entryWords } from "./entry-words.ts"
import { followEntries } from "./follow.ts"

type TailOptions = InstallationOptions &
  Printing &
  Filter & { readonly lines: string; readonly follow?: boolean }

/** `countersign audit tail --follow` */
export function auditTail(): Command {
  const made = command("tail", "show the last entries of the ledger")
    .option("-n, --lines <count>", "how many", "20")
    .option("--client <name>", "those of one client")
    .option("--key <name>", "those of one key")
    .option("--kind <kind>", "those of one kind, such as request, refusal or act")
    .option("--follow", "go on with what is recorded from now on, until Ctrl-C")
  withExamples(
    made,
    "countersign audit tail -n 50 --client mm-bot",
    "countersign audit tail --follow --json | jq .row",
  )
  return runs<TailOptions>(withJson(withInstallation(made)), async (options) => {
    const count = countOf(options.lines)
    const { client, key, kind } = options
    const filter = { client, key, kind }
    const { entries, seq } = await withAdmin(options, (admin) =>
      lastEntries(auditCallOf(admin), count, filter),
    )
    const show = (shown: readonly StoredEntry[]): void => {
      process.stdout.write(shown.map((entry) => lineOf(entry, options)).join(""))
    }
    show(entries)
    if (options.follow !== true) return
    await followEntries({ installation: installationOf(options), afterSeq: seq, filter, show })
  })
}

const maxLines = 100_000

function countOf(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= maxLines) return count
  throw new Fault("usage", `--lines takes a number from 0 to ${maxLines}.`)
}

function lineOf(entry: StoredEntry, { json }: Printing): string {
  return json === true ? entryLine(entry) : `${entryWords(entry)}\n`
}
