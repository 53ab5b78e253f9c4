import { engines } from "../support/ledger-engines.ts"
import { holdContract } from "../support/hold-contract.ts"

for (const [name, place] of Object.entries(engines)) holdContract(name, place)
