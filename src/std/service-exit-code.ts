import type { FaultCode } from "./fault.ts"

// sysexits.h: EX_TEMPFAIL and EX_CONFIG. The units have RestartPreventExitStatus=78.
const tempFail = 75
const configError = 78

/** The process itself isn't at fault: it will start once a disk or another command lets it. */
export const passingCodes: ReadonlySet<FaultCode> = new Set([
  "ledger_unavailable",
  "already_running",
  "vault_unavailable",
])

/** The exit code of a service that can't start: 75 if starting again may help, else 78. */
export function serviceExitCode(code: FaultCode): 75 | 78 {
  return passingCodes.has(code) ? tempFail : configError
}
