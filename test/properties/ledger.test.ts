import { sqliteInFile } from "../support/ledger-engines.ts"
import { holdLedgerProperties } from "./ledger/all.ts"

holdLedgerProperties(sqliteInFile)
