import { slips } from "../simulation/slips.ts"
import { consoleGuards } from "./console-guards.ts"
import { decidingGuards } from "./deciding-guards.ts"
import { exposureGuards } from "./exposure-guards.ts"
import { fleetGuards } from "./fleet-guards.ts"
import type { Guard } from "./guard.ts"
import { ledgerGuards } from "./ledger-guards.ts"
import { limitGuards } from "./limit-guards.ts"
import { lossGuards } from "./loss-guards.ts"
import { matchingGuards } from "./matching-guards.ts"
import { postgresGuards } from "./postgres-guards.ts"
import { relayGuards } from "./relay-guards.ts"
import { sendGuards } from "./send-guards.ts"
import { sizingGuards } from "./sizing-guards.ts"
import { vaultGuards } from "./vault-guards.ts"

/** Every guard that is tried. */
export const guards: readonly Guard[] = [
  ...matchingGuards,
  ...decidingGuards,
  ...sizingGuards,
  ...limitGuards,
  ...exposureGuards,
  ...lossGuards,
  ...vaultGuards,
  ...ledgerGuards,
  ...consoleGuards,
  ...sendGuards,
  ...relayGuards,
  ...postgresGuards,
  ...fleetGuards,
  ...slips,
]
