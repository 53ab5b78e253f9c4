import { Option, type Command } from "commander"

import { logLevelVariable } from "../std/log-level.ts"
import { logLevels, type LogLevel } from "../std/log-line.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  type InstallationOptions,
} from "./command.ts"
import { startDaemon, type Daemon } from "./daemon/start-daemon.ts"
import { parsePort } from "./port.ts"
import { visible, type Printing } from "./print.ts"
import { nextSignal } from "./signals.ts"

type ServeOptions = InstallationOptions &
  Printing & {
    readonly port?: string
    readonly passphraseFile?: string
    readonly strict?: boolean
    readonly logLevel?: LogLevel
  }

/** `countersign serve` */
export function serve(): Command {
  const made = withInstallation(command("serve", "run the daemon until it is told to stop"))
    .option("--port <port>", "overrides the port in countersign.yaml; 0 picks a free one")
    .option("--passphrase-file <file>", "overrides the file in countersign.yaml")
    .option(
      "--strict",
      "refuse to start on files that can't be used, also where good ones ran before",
    )
  const logLevel = new Option("--log-level <level>", "the least urgent events to log")
  made.addOption(logLevel.choices(logLevels).env(logLevelVariable))
  withExamples(made, "countersign serve", "countersign serve --port 0 --strict")
  return runs<ServeOptions>(made, async (options) => {
    const signal = nextSignal()
    // Gate and vault read it there, as they do under systemd.
    if (options.logLevel !== undefined) process.env[logLevelVariable] = options.logLevel
    process.on("SIGHUP", () => undefined) // until the daemon is up: its files are read just now
    const daemon = await startDaemon({
      installation: installationOf(options),
      passphraseFile: options.passphraseFile,
      port: options.port === undefined ? undefined : parsePort(options.port),
      strict: options.strict,
    })
    process.on("SIGHUP", () => daemon.reload())
    for (const warning of daemon.warnings) process.stderr.write(`warning: ${visible(warning)}\n`)
    process.stdout.write(`listening on ${daemon.url}\n`)
    await untilStopped(daemon, signal)
  })
}

async function untilStopped(daemon: Daemon, signal: Promise<void>): Promise<void> {
  try {
    await Promise.race([signal, daemon.broken])
  } finally {
    await daemon.stop()
  }
}
