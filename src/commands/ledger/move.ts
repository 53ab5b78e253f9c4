import { moveSql } from "../../vault/ledger/postgres/move-sql.ts"
import { command } from "../cli/command.ts"
import { installationOptions } from "../installation/installation-command.ts"
import { printSql, sqlOutOption } from "./print-sql.ts"

/** `countersign ledger move` */
export const ledgerMove = command({
  description: "print the SQL that moves the ledger of a stopped daemon to PostgreSQL",
  notes:
    "For psql, in one transaction, as a user who may make roles and schemas. Whose ledger it is, countersign.yaml says (ledger: engine: postgres). What is printed holds every order, and no key.",
  examples: ["countersign ledger move --out ledger.sql"],
  options: { ...installationOptions, ...sqlOutOption },
  run: async (options, terminal) => {
    await printSql(options, moveSql, terminal)
    return 0
  },
})
