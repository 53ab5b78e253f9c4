import type { StatusView } from "../../../contract/views.ts"
import type { KeyView } from "../../../contract/bot-views.ts"
import { Fault } from "../../../std/fault.ts"
import type { FileSet } from "../../../vault/config/load-files.ts"
import { pathsOf, type Installation } from "../../../vault/config/installation.ts"
import { adminOver, dialAdmin, type Admin } from "../../installation/admin.ts"
import { askStatus } from "../../installation/ask-daemon.ts"
import { becomeOwner, fixHere } from "../../installation/usual-installation.ts"
import { tryTargets } from "../notify-findings.ts"
import { filesInForce } from "../../policy/show.ts"
import { services, systemInstallation, thisSystem, type System } from "../../service/system.ts"
import { examine } from "../examine.ts"
import type { Finding } from "../finding.ts"
import { isClockSynchronised } from "../machine-findings.ts"
import { reach } from "../upstream-finding.ts"
import { agentLines, rehearsalLines } from "./agent-lines.ts"
import {
  alarmLines,
  backupLines,
  clockLines,
  daemonLines,
  versionLines,
  unitLines,
} from "./machine-lines.ts"
import { holds, lacks, liveChecks, notKnown, type LiveCheck, type LiveLine } from "../finding.ts"
import { baseUrlLines, cancelLines, priceLines, symbolLines } from "./venue-lines.ts"

/**
 * Everything that docs/go-live.md asks for, in its order, by the files in force. Never throws: what can't be looked at
 * isn't known.
 */
export async function checkLive(
  installation: Installation,
  system: System = thisSystem,
): Promise<readonly LiveLine[]> {
  // Before this process is the vault's user, whom systemd may tell less.
  const units = unitLines(system, installation)
  becomeOwner(installation.stateDir)
  const known = await linesOfDaemon(installation)
  const lines = [...units, ...known, ...doctorLines(await examine(installation))]
  return lines.toSorted((a, b) => liveChecks.indexOf(a.check) - liveChecks.indexOf(b.check))
}

/** What the lines are made of: the daemon that runs, and what it has in force. */
type Facts = {
  readonly installation: Installation
  readonly admin: Pick<Admin, "call" | "readLedger">
  readonly status: StatusView
  readonly files: FileSet
  readonly keys: readonly KeyView[]
  /** The command that starts vault and gate anew. */
  readonly restart: string
}

type Look = (facts: Facts) => readonly LiveLine[] | Promise<readonly LiveLine[]>

/** What only a running daemon can tell. */
const looks: readonly (readonly [LiveCheck, Look])[] = [
  ["daemon", ({ status }) => daemonLines(status)],
  [
    "versions",
    ({ status, files, restart }) => versionLines(status, { ...files.config.listen, restart }),
  ],
  ["base_url", lookAtVenue],
  ["cancels", ({ files }) => cancelLines(files.profile)],
  ["symbols", ({ files }) => symbolLines(files.profile)],
  ["agents", lookAtAgents],
  ["rehearsal", ({ files, keys, admin }) => rehearsalLines(files, keys, admin)],
  [
    "prices",
    async ({ admin, status }) => priceLines(await admin.call("listPrices", {}), status.at),
  ],
  ["clock", async ({ status }) => clockLines(status, await isClockSynchronised())],
  [
    "alarms",
    ({ files, admin }) => alarmLines(files.config.notify, (names) => tryTargets(admin, names)),
  ],
  ["backup", ({ admin, status }) => backupLines(admin.readLedger, status.at)],
]

async function linesOfDaemon(installation: Installation): Promise<readonly LiveLine[]> {
  const start = fixHere("countersign serve", installation)
  try {
    const link = await dialAdmin(installation)
    if (link === undefined) return withoutDaemon("No daemon runs here.", start)
    try {
      const lines = await linesOf(await factsOf(adminOver(link, installation), installation))
      return lines.map((line) =>
        line.fix === null ? line : { ...line, fix: fixHere(line.fix, installation) },
      )
    } finally {
      link.close()
    }
  } catch (error) {
    const isNew = error instanceof Fault && error.code === "not_initialised"
    const why = error instanceof Error ? error.message : String(error)
    return isNew
      ? withoutDaemon("There is no installation.", "countersign init-service")
      : withoutDaemon(why, start)
  }
}

function withoutDaemon(why: string, fix: string): readonly LiveLine[] {
  return looks.map(([check]) =>
    check === "daemon"
      ? lacks(check, why, fix)
      : notKnown(check, "only a running daemon tells.", fix),
  )
}

async function factsOf(admin: Facts["admin"], installation: Installation): Promise<Facts> {
  const isService = installation.stateDir === systemInstallation.stateDir
  const restart = isService ? `systemctl restart ${services}` : "countersign serve"
  const status = await askStatus(admin)
  const keys = await admin.call("listKeys", {})
  return { installation, admin, status, files: await filesInForce(admin), keys, restart }
}

async function linesOf(facts: Facts): Promise<readonly LiveLine[]> {
  const lines = await Promise.all(
    looks.map(async ([check, look]) => {
      try {
        return await look(facts)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        return [notKnown(check, why, "countersign status")]
      }
    }),
  )
  return lines.flat()
}

function lookAtVenue({ files, installation, restart }: Facts): Promise<readonly LiveLine[]> {
  const { config, profile } = files
  const { venueFile } = pathsOf(installation)
  return baseUrlLines(profile, { venueFile, restart }, (url) => reach(url, config.upstream))
}

function lookAtAgents({ files, keys, status }: Facts): readonly LiveLine[] {
  const { config, profile } = files
  return agentLines(keys, { profile, nowMs: status.at, warningMs: config.agentWarningMs })
}

/** What an installation needs, live or not. */
function doctorLines(findings: readonly Finding[]): readonly LiveLine[] {
  const failed = findings.flatMap((each) => (each.state === "fail" ? [each] : []))
  if (failed.length === 0)
    return [holds("doctor", "Of what doctor looks at without --live, nothing fails.")]
  return failed.map(({ check, message, fix }) => lacks("doctor", `${check}: ${message}`, fix))
}
