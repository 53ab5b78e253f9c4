import type { FaultCode } from "./fault.ts"

// sysexits.h: EX_TEMPFAIL and EX_CONFIG. The units have RestartPreventExitStatus=78.
const tempFail = 75
const configError = 78

/** Nothing of the process's own is wrong: it starts once a disk or another command lets it. */
export const passingCodes: ReadonlySet<FaultCode> = new Set([
  "ledger_unavailable",
  "already_running",
  "vault_unavailable",
])

/** What a service that can't start ends with: 75 where starting it again may help, else 78. */
export function serviceExitCode(code: FaultCode): 75 | 78 {
  return passingCodes.has(code) ? tempFail : configError
}
