import { Option } from "commander"

import { logLevelVariable, logLevels, type LogLevel } from "../std/log.ts"
import { visible } from "../std/visible.ts"
import { command, flag, option, parsed, taken } from "./cli/command.ts"
import { portForm, portOf } from "./cli/values.ts"
import { tell } from "./cli/print.ts"
import { atHangUp, withStopSignal, type Terminal } from "./cli/terminal.ts"
import { archiveInTime } from "./daemon/archive-in-time.ts"
import type { Stopper } from "./daemon/child.ts"
import { startDaemon, type Daemon } from "./daemon/start-daemon.ts"
import {
  passphraseOption,
  installationOf,
  installationOptions,
} from "./installation/installation-command.ts"

/** `countersign serve` */
export const serve = command({
  description: "run the daemon until it is told to stop",
  examples: ["countersign serve", "countersign serve --port 0 --strict"],
  options: {
    ...installationOptions,
    port: parsed(
      option("--port <port>", "overrides the port in countersign.yaml; 0 picks a free one"),
      portOf,
      portForm,
    ),
    ...passphraseOption,
    strict: flag(
      "--strict",
      "refuse to start on files that can't be used, even where good ones were in force before",
    ),
    logLevel: taken<LogLevel | undefined>(
      new Option("--log-level <level>", "the least urgent events to log")
        .choices(logLevels)
        .env(logLevelVariable),
    ),
  },
  run: async (options, terminal) => {
    const { passphraseFile, port, strict, logLevel } = options
    // Gate and vault read it there, as they do under systemd.
    if (logLevel !== undefined) process.env[logLevelVariable] = logLevel
    const ask = { installation: installationOf(options), passphraseFile, port, strict, terminal }
    let daemon: Daemon | undefined // until it is up, its files are read just now
    const reload = (): void => daemon?.reload()
    await withStopSignal((stopped) =>
      atHangUp(reload, async () => {
        daemon = await startDaemon(ask)
        sayReady(daemon, terminal)
        void archiveInTime(ask.installation)
        await untilEnded(daemon, stopped)
      }),
    )
    return 0
  },
})

function sayReady({ url, warnings, changed }: Daemon, terminal: Terminal): void {
  if (changed.length > 0) {
    tell(terminal, "The files have changed since the last stop, and are in force now:")
    for (const place of changed) tell(terminal, ` ${visible(place)}`)
  }
  for (const warning of warnings) tell(terminal, `warning: ${visible(warning)}`)
  terminal.stdout.write(`listening on ${url}\n`)
}

async function untilEnded(daemon: Daemon, stopped: Promise<unknown>): Promise<void> {
  let by: Stopper = "supervisor"
  try {
    await Promise.race([stopped, daemon.broken])
    by = "person"
  } finally {
    await daemon.stop(by)
  }
}
