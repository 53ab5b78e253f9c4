import { Option } from "commander"

import { logLevelVariable } from "../std/log-level.ts"
import { logLevels, type LogLevel } from "../std/log-line.ts"
import { visible } from "../std/visible.ts"
import { passphraseOption } from "./admin-command.ts"
import { command } from "./command.ts"
import { startDaemon, type Daemon } from "./daemon/start-daemon.ts"
import { installationOf, installationOptions } from "./installation-command.ts"
import { flag, option, parsed, taken } from "./options.ts"
import { parsePort } from "./port.ts"
import { tell } from "./print.ts"
import { nextSignal } from "./signals.ts"

/** `countersign serve` */
export const serve = command({
  description: "run the daemon until it is told to stop",
  examples: ["countersign serve", "countersign serve --port 0 --strict"],
  options: {
    ...installationOptions,
    port: parsed(
      option("--port <port>", "overrides the port in countersign.yaml; 0 picks a free one"),
      parsePort,
    ),
    ...passphraseOption,
    strict: flag(
      "--strict",
      "refuse to start on files that can't be used, also where good ones ran before",
    ),
    logLevel: taken<LogLevel | undefined>(
      new Option("--log-level <level>", "the least urgent events to log")
        .choices(logLevels)
        .env(logLevelVariable),
    ),
  },
  run: async (options, terminal) => {
    const { passphraseFile, port, strict, logLevel } = options
    const signal = nextSignal()
    // Gate and vault read it there, as they do under systemd.
    if (logLevel !== undefined) process.env[logLevelVariable] = logLevel
    process.on("SIGHUP", () => undefined) // until the daemon is up: its files are read just now
    const installation = installationOf(options)
    const daemon = await startDaemon({ installation, passphraseFile, port, strict, terminal })
    process.on("SIGHUP", () => daemon.reload())
    for (const warning of daemon.warnings) tell(terminal, `warning: ${visible(warning)}`)
    terminal.stdout.write(`listening on ${daemon.url}\n`)
    await untilStopped(daemon, signal)
    return 0
  },
})

async function untilStopped(daemon: Daemon, signal: Promise<void>): Promise<void> {
  try {
    await Promise.race([signal, daemon.broken])
  } finally {
    await daemon.stop()
  }
}
