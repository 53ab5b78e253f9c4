import { grantsSql } from "../../vault/ledger/postgres/rights-sql.ts"
import { command } from "../cli/command.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationOf, installationOptions } from "../installation/installation-command.ts"
import { loadPostgres } from "./print-sql.ts"

/** `countersign ledger grants` */
export const ledgerGrants = command({
  description: "print the SQL that gives the hosts' role in PostgreSQL what it needs, and no more",
  notes:
    "For psql, in one transaction, as the tables' owner, once all hosts have this version: an earlier one can't append any more. Where doctor finds that the role may do more.",
  examples: ["countersign ledger grants > grants.sql"],
  options: installationOptions,
  run: async (options, { stdout }) => {
    const installation = installationOf(options)
    becomeOwner(installation.stateDir)
    const { role } = await loadPostgres(installation)
    stdout.write(grantsSql(role))
    return 0
  },
})
