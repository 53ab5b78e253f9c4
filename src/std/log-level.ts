import { Fault } from "./fault.ts"
import { logLevels, type LogLevel } from "./log-line.ts"

/** Where each process finds the level that it logs from. */
export const logLevelVariable = "COUNTERSIGN_LOG_LEVEL"

/** The level that the environment asks for, `info` where it asks for none. @throws {Fault} `usage` */
export function readLogLevel(environment: NodeJS.ProcessEnv = process.env): LogLevel {
  const asked = environment[logLevelVariable] ?? "info"
  const level = logLevels.find((each) => each === asked)
  if (level !== undefined) return level
  throw new Fault("usage", `${logLevelVariable} must be debug, info, warn or error.`)
}
