import { parseArgs } from "node:util"

import { Fault } from "../../std/fault.ts"
import { readLogLevel, type LogLevel } from "../../std/log.ts"

export type RelayArguments = {
  /** Path of relay.yaml. */
  readonly configFile: string
  /** Path of the socket on which the vault takes connections to its ledger's servers. */
  readonly ledgerSocket: string
  readonly logLevel: LogLevel
}

/** Parses the command line of the relay's process. @throws {Fault} `usage` */
export function parseArguments(argv: readonly string[]): RelayArguments {
  const { config, "ledger-socket": ledgerSocket } = parseOptions(argv)
  if (config === undefined) throw new Fault("usage", "--config FILE is missing.")
  if (ledgerSocket === undefined) throw new Fault("usage", "--ledger-socket PATH is missing.")
  return { configFile: config, ledgerSocket, logLevel: readLogLevel() }
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: { config: { type: "string" }, "ledger-socket": { type: "string" } },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The relay was started with an argument it doesn't know.", { cause })
  }
}
