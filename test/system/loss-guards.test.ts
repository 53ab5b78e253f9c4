import { describeLosingRun } from "../support/losing-run.ts"

describeLosingRun(process.env["LOSSES_SEED"] ?? "5")
