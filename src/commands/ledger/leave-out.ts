import { leaveOutSql } from "../../vault/ledger/postgres/put-back-sql.ts"
import { command } from "../cli/command.ts"
import { option, required } from "../cli/options.ts"
import { installationOptions } from "../installation/installation-command.ts"
import { entryIn } from "./entry-in.ts"
import { printSql, sqlOutOption } from "./print-sql.ts"

/** `countersign ledger leave-out` */
export const ledgerLeaveOut = command({
  description: "print the SQL that goes on without a host's entries which no other can follow",
  notes:
    "For psql, in one transaction, as the tables' owner, with every daemon stopped, from the host that has most. What was signed by the host that is left out counts nowhere any more: take its certificate away first, and make it anew. The entries are kept in countersign.left_out.",
  examples: ["countersign ledger leave-out --after 1200 --out leave-out.sql"],
  options: {
    ...installationOptions,
    ...sqlOutOption,
    after: required(option("--after <entry>", "the last entry before, which a start names")),
  },
  run: async ({ after, ...options }, terminal) => {
    const afterSeq = entryIn(after)
    await printSql(options, (database) => [...leaveOutSql(database, afterSeq)], terminal)
    return 0
  },
})
