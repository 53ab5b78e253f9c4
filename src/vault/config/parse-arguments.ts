import { parseArgs } from "node:util"

import { Fault } from "../../std/fault.ts"
import { readLogLevel, type LogLevel } from "../../std/log.ts"
import type { Installation } from "./installation.ts"
import type { Starter } from "./load-files.ts"

export type VaultArguments = {
  readonly installation: Installation
  readonly passphraseFile: string | undefined
  /** Refuses files on disk that can't be used, even where others were in force before. */
  readonly isStrict: boolean
  readonly starter: Starter
  readonly logLevel: LogLevel
}

/** What the vault was started with. @throws {Fault} `usage`. */
export function parseArguments(argv: readonly string[]): VaultArguments {
  const values = parseOptions(argv)
  const { "config-dir": configDir, "state-dir": stateDir } = values
  if (configDir === undefined || stateDir === undefined) {
    throw new Fault("usage", "The vault needs --config-dir and --state-dir.")
  }
  return {
    installation: { configDir, stateDir },
    passphraseFile: values["passphrase-file"],
    isStrict: values.strict,
    starter: values["started-again"] ? "supervisor" : "person",
    logLevel: values["log-requests"] ? "debug" : readLogLevel(),
  }
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        "config-dir": { type: "string" },
        "state-dir": { type: "string" },
        "passphrase-file": { type: "string" },
        strict: { type: "boolean", default: false },
        "started-again": { type: "boolean", default: false },
        "log-requests": { type: "boolean", default: false },
      },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The vault was started with an argument it doesn't know.", { cause })
  }
}
