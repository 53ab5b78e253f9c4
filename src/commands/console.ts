import { statSync } from "node:fs"
import { setTimeout as after } from "node:timers/promises"

import { linkLifeMs, makeSecret } from "../console/serve/sessions.ts"
import { addressFault, assertCanListen } from "../gate/listen.ts"
import { durationWithin } from "../std/time/duration.ts"
import { Fault } from "../std/fault.ts"
import type { Installation } from "../vault/config/installation.ts"
import { command, flag, option, parsed } from "./cli/command.ts"
import { portForm, portOf } from "./cli/values.ts"
import { print, type Printing } from "./cli/print.ts"
import { withStopSignal } from "./cli/terminal.ts"
import { answerAsks, releasingAnswers, vaultAnswers, vaultCalls } from "./console/answers.ts"
import { serverUser, startServer, type ConsoleServer } from "./console/start-server.ts"
import { becomeOwner, personName } from "./installation/usual-installation.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "./installation/installation-command.ts"

/** Long enough for anything, and short enough for a timer of Node's, which has 31 bits. */
const longestLifeMs = 7 * 86_400_000
const usualLifeMs = 12 * 3_600_000
/** Whoever comes to a browser that was left open could release. */
const releasingLifeMs = 3_600_000

/** `countersign console`: serves a page for people, and prints links to it, until it is told to stop. */
export const consoleCommand = command({
  description: "serve a page that shows the daemon at work, and can freeze it",
  notes: `
With --release the page may release and refuse held requests too, and is served for 1 h unless --for says otherwise. No
page ends a freeze.`,
  examples: [
    "countersign console",
    "countersign console --port 8421 --for 30m",
    "countersign console --release",
  ],
  options: {
    ...installationOptions,
    ...jsonOption,
    port: parsed(
      option("--port <port>", "where the page is served, on 127.0.0.1 (default: a free port)"),
      portOf,
      portForm,
    ),
    lifeMs: parsed(
      option(
        "--for <duration>",
        "how long it is served at most, up to 7d (default: 12h, with --release 1h)",
      ),
      (text) => durationWithin(text, 0, longestLifeMs),
      "a duration of up to 7d, like 30m or 12h",
    ),
    release: flag("--release", "let the page release and refuse held requests"),
  },
  run: async ({ port = 0, lifeMs, release: mayRelease, json, ...named }, terminal) => {
    const usualMs = mayRelease ? releasingLifeMs : usualLifeMs
    const isNamed = Object.values(named).some((option) => option !== undefined)
    const printing = { terminal, json }
    const shown = { port, lifeMs: lifeMs ?? usualMs, isNamed, mayRelease, printing }
    const installation = installationOf(named)
    await withStopSignal((stopped) => serveConsole(installation, shown, stopped), "SIGHUP")
    return 0
  },
})

const host = "127.0.0.1"

type Shown = {
  readonly port: number
  readonly lifeMs: number
  /** Whether options name the installation, as commands that are copied from the page must then. */
  readonly isNamed: boolean
  readonly mayRelease: boolean
  readonly printing: Printing
}

/**
 * The server is started before this process becomes the installation's owner: only root can make it somebody else.
 * This one has the admin link, and passes on no more than the list of asks.ts.
 */
async function serveConsole(
  installation: Installation,
  { port: asked, lifeMs, isNamed, mayRelease, printing }: Shown,
  stopped: Promise<unknown>,
): Promise<void> {
  const { stateDir } = installation
  // Who a freeze or a release is by.
  const by = `console/${personName()}`
  await assertCanListen(host, asked)
  const user = serverUser(statSync(stateDir, { throwIfNoEntry: false }))
  const server = startServer({ port: asked, user, mayRelease }, printing.terminal)
  const vault = vaultCalls(installation, by)
  try {
    becomeOwner(stateDir)
    await vault.call("health", {})
    const listening = Promise.withResolvers<number>()
    const answering = answerAsks(server.pipe, {
      ...(mayRelease ? releasingAnswers : vaultAnswers)(vault, {
        by,
        named: isNamed ? installation : undefined,
      }),
      listening: (report) => {
        if ("port" in report) listening.resolve(report.port)
        else listening.reject(addressFault({ code: report.refused }, host, asked))
        return Promise.resolve(null)
      },
    })
    const ended = answering.catch(() => undefined).then(() => Promise.reject(endedUnasked()))
    const port = await Promise.race([listening.promise, ended, stopped.then(() => undefined)])
    if (port === undefined) return
    printLinks(server, port, printing)
    await Promise.race([ended, stopped, after(lifeMs, undefined, { ref: false })])
  } finally {
    printing.terminal.stdin.pause()
    vault.close()
    await server.stop()
  }
}

/** One at once, and one at each Enter. A browser isn't started: what a program is started with, every user can read. */
function printLinks(server: ConsoleServer, port: number, printing: Printing): void {
  const { stdin } = printing.terminal
  const isTerminal = stdin.isTTY === true
  const next = isTerminal ? " Enter prints a new one." : ""
  const printLink = (): void => {
    const secret = makeSecret()
    server.openLink(secret)
    const url = `http://${host}:${port}/#${secret}`
    const tunnel = `ssh -L ${port}:${host}:${port}` // for a browser on another machine
    print({ url, valid_for_ms: linkLifeMs, tunnel }, printing, () => [
      url,
      `It works once, within ${linkLifeMs / 1_000} seconds, in a browser of this machine.${next} Ctrl-C ends the console.`,
      `For a browser of another machine, run there first: ${tunnel} <this machine>`,
    ])
  }
  printLink()
  if (!isTerminal) return
  stdin.on("error", () => undefined) // the terminal is gone, which SIGHUP says too
  stdin.on("data", printLink)
}

function endedUnasked(): Fault {
  return new Fault("internal", "The console's server ended by itself; its output above says why.")
}
