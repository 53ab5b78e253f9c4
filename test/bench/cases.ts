import type { Case } from "./case.ts"
import { auditVerify } from "./cases/audit-verify.ts"
import { budget } from "./cases/budget.ts"
import { timeline } from "./cases/timeline.ts"
import { withConsole } from "./cases/console.ts"
import { decision } from "./cases/decision.ts"
import { fair } from "./cases/fair.ts"
import { fleetAlone } from "./cases/fleet-alone.ts"
import { fleetStart } from "./cases/fleet-start.ts"
import { fleetSteady } from "./cases/fleet-steady.ts"
import { fleet } from "./cases/fleet.ts"
import { forward } from "./cases/forward.ts"
import { ledgerSizes } from "./cases/ledger-size.ts"
import { memory } from "./cases/memory.ts"
import { pace } from "./cases/pace.ts"
import { records } from "./cases/records.ts"
import { rules } from "./cases/rules.ts"
import { signHttp } from "./cases/sign-http.ts"
import { start } from "./cases/start.ts"
import { steady } from "./cases/steady.ts"

/** In the order in which they run. */
export const cases: readonly Case[] = [
  ...[
    pace,
    timeline,
    signHttp,
    budget,
    steady,
    forward,
    fair,
    memory,
    start,
    rules,
    records,
    withConsole,
    decision,
    auditVerify,
  ],
  ...ledgerSizes,
  ...[fleetAlone, fleet, fleetSteady, fleetStart],
]
