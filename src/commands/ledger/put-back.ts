import { Fault } from "../../std/fault.ts"
import { putBackSql } from "../../vault/ledger/postgres/put-back-sql.ts"
import { command } from "../cli/command.ts"
import { option, required } from "../cli/options.ts"
import { installationOptions } from "../installation/installation-command.ts"
import { entryIn } from "./entry-in.ts"
import { printSql, sqlOutOption } from "./print-sql.ts"

/** `countersign ledger put-back` */
export const ledgerPutBack = command({
  description: "print the SQL that gives PostgreSQL back the entries that it lost",
  notes:
    "After a restore to an earlier time, or while the ledger was on this host alone. For psql, in one transaction, as the tables' owner, with every daemon stopped. It changes nothing where PostgreSQL goes on otherwise than this host's copy.",
  examples: ["countersign ledger put-back --after 1200 --out entries.sql"],
  options: {
    ...installationOptions,
    ...sqlOutOption,
    after: required(option("--after <entry>", "PostgreSQL's last entry, which a start names")),
    ledger: option("--ledger <name>", "the ledger's name in PostgreSQL, where a start names that"),
  },
  run: async ({ after, ledger, ...options }, terminal) => {
    const [afterSeq, named] = [entryIn(after), nameIn(ledger)]
    await printSql(
      options,
      (database, { host }, key) => putBackSql(database, { host, key, afterSeq, named }),
      terminal,
    )
    return 0
  },
})

function nameIn(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{32}$/.test(text)) return text
  throw new Fault("usage", "--ledger takes a ledger's name, 32 hex digits.")
}
