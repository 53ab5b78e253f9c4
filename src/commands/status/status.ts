import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { command, flag } from "../cli/command.ts"
import { print, jsonText, shownText, type Line, type Printing } from "../cli/print.ts"
import { withStopSignal, type Terminal } from "../cli/terminal.ts"
import { dialOrNone, isLoss, type Admin, withAdmin } from "../installation/admin.ts"
import { askStatus } from "../installation/ask-daemon.ts"
import { becomeOwner, fixHere } from "../installation/usual-installation.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"
import { fleetStatus } from "./fleet-status.ts"
import { statusLines, type DaemonStatus } from "./status-lines.ts"

/** `countersign status`: ends with 1 where nothing is signed, so that scripts can ask too. */
export const status = command({
  description: "show what is signed, keys, clients, limits and last refusals",
  examples: ["countersign status", "countersign status --json", "countersign status --watch"],
  options: {
    watch: flag("--watch", "show it anew every 2 s, until Ctrl-C; with --json a line each"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ watch, json, ...options }, terminal) => {
    const installation = installationOf(options)
    if (watch) {
      await watchStatus(installation, { terminal, json })
      return 0
    }
    const answer = await withAdmin(installation, (admin) => shownStatus(admin, installation))
    print(answer, { terminal, json }, (shown) => statusLines(shown, Date.now()))
    return answer.state.signs === "nothing" ? 1 : 0
  },
})

/** How it stands, with each fix as it has to be typed for this installation. */
async function shownStatus(
  admin: Pick<Admin, "daemon" | "call">,
  installation: Installation,
): Promise<DaemonStatus> {
  const { state, warnings, files_differ: differ, ...told } = await askStatus(admin)
  const here = <Told extends { readonly fix: string }>(each: Told): Told => ({
    ...each,
    fix: fixHere(each.fix, installation),
  })
  return {
    daemon: admin.daemon,
    fleet: await fleetStatus(admin),
    raises: await admin.call("listRaises", {}),
    ...told,
    state: { ...state, reasons: state.reasons.map(here) },
    files_differ: differ && here(differ),
    warnings: warnings.map(here),
  }
}

const pauseMs = 2_000

/** ECMA-48: the cursor goes home, then all is erased. */
const clear = "\x1b[H\x1b[2J"

/** While no daemon runs nothing else is known: opening its ledger would keep one from starting. */
type Stopped = { readonly daemon: "stopped" }

/**
 * Shows how it stands every 2 s until a signal ends it, or nobody reads it any more.
 *
 * @throws {Fault} `usage` where it could be drawn on no screen and JSON wasn't asked for.
 */
async function watchStatus(installation: Installation, printing: Printing): Promise<void> {
  const { terminal, json } = printing
  if (!json && terminal.stdout.isTTY !== true)
    throw new Fault("usage", "--watch draws on a terminal, and this is none; add --json.")
  becomeOwner(installation.stateDir)
  await withStopSignal(async (stopped) => {
    const ending = new AbortController()
    void Promise.race([stopped, terminal.unread]).then(() => ending.abort())
    while (!ending.signal.aborted) {
      show(await look(installation), printing)
      await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined) // it ends
    }
  })
}

async function look(installation: Installation): Promise<DaemonStatus | Stopped> {
  const link = await dialOrNone(installation)
  if (link === undefined) return { daemon: "stopped" }
  try {
    const call: typeof link.call = (method, params) => link.call(method, params)
    return await shownStatus({ daemon: "running", call }, installation)
  } catch (error) {
    if (isLoss(error)) return { daemon: "stopped" }
    throw error
  } finally {
    link.close()
  }
}

function show(status: DaemonStatus | Stopped, { terminal, json }: Printing): void {
  terminal.stdout.write(json ? `${jsonText(status)}\n` : screenful(linesOf(status), terminal))
}

function linesOf(status: DaemonStatus | Stopped): readonly Line[] {
  const now = new Date()
  const head = [`${utcText(now.getTime())}, every ${pauseMs / 1_000} s until Ctrl-C`, ""]
  if ("state" in status) return [...head, ...statusLines(status, now.getTime())]
  return [...head, "The daemon doesn't run, so nothing is signed; countersign serve starts it."]
}

/** What comes first matters most, so what finds no room on the screen is left out at the end. */
function screenful(lines: readonly Line[], terminal: Terminal): string {
  const shown = shownText(lines, terminal).split("\n")
  const room = (terminal.stdout.rows ?? Infinity) - 1 // the cursor stands in the last line
  return `${clear}${shown.slice(0, room).join("\n")}\n`
}
