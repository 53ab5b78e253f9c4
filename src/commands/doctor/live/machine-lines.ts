import { dayMs } from "../../../std/time/duration.ts"
import { join } from "node:path"

import { hostInUrl } from "../../../gate/listen.ts"
import { fetchDirect } from "../../../client/fetch-direct.ts"
import type { TargetStand } from "../../../gate/notify/teller.ts"
import type { NotifyTarget } from "../../../link/gate-settings.ts"
import { toldReason } from "../../../vault/status/signing.ts"
import { entriesBefore } from "../../../audit/read-entries.ts"
import { fieldsOf } from "../../../audit/stored-entry.ts"
import type { StatusView } from "../../../contract/views.ts"
import { agoWords } from "../../../std/time/time-words.ts"
import { version } from "../../../std/version.ts"
import type { Installation } from "../../../vault/config/installation.ts"
import type { ReadLedger } from "../../installation/admin.ts"
import { relayDir, systemInstallation, statusOf, type System } from "../../service/system.ts"
import { holds, lacks, notKnown, type LiveLine } from "../finding.ts"

/** Tenths, of systemd's figure: 0 is the safest, 100 the least safe. Gate and relay speak IP, which alone is over 6. */
export const mostTenths = {
  "countersign-vault.service": 3,
  "countersign-gate.service": 12,
  "countersign-relay.service": 12,
} as const

/** Where there is one, the relay is looked at too. */
const relay = "countersign-relay.service"

/** Whether gate and vault are the two units, and as closed as this version has them. Asks systemd, so not as the vault's user. */
export function unitLines(system: System, { stateDir }: Installation): readonly LiveLine[] {
  if (stateDir !== systemInstallation.stateDir) {
    const message =
      "This isn't the services' installation: under serve, gate and vault are one user, in no sandbox."
    return [lacks("units", message, "countersign install-service")]
  }
  const hasRelay = statusOf(system, join(relayDir, "relay.yaml")) !== undefined
  const lines = Object.entries(mostTenths)
    .filter(([unit]) => hasRelay || unit !== relay)
    .map(([unit, tenths]) => unitLine(system, unit, tenths))
  const wrong = lines.filter(({ state }) => state !== "ok")
  if (wrong.length > 0) return wrong
  return [holds("units", lines.map(({ message }) => message).join(" "))]
}

function unitLine(system: System, unit: string, tenths: number): LiveLine {
  const look = `systemd-analyze security ${unit}`
  const said = exposureOf(system, unit, tenths)
  if (said === "untold") return notKnown("units", `systemd tells nothing of ${unit}.`, look)
  const { figure, isWithin } = said
  if (figure === undefined) {
    return lacks("units", `There is no unit ${unit}.`, "countersign install-service")
  }
  const most = tenths / 10
  if (isWithin) return holds("units", `${unit} is exposed by ${figure}, and ${most} is the most.`)
  const fix = `systemctl cat ${unit}, and take away the drop-in that opens it`
  return lacks("units", `${unit} is exposed by ${figure}, over ${most}.`, fix)
}

type Exposure = { readonly figure: string | undefined; readonly isWithin: boolean }

function exposureOf(system: System, unit: string, tenths: number): Exposure | "untold" {
  const words = ["security", "--no-pager", `--threshold=${tenths}`, unit]
  try {
    const { code, stdout, stderr } = system.run("systemd-analyze", words)
    const [, figure] = /exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? []
    if (figure !== undefined) return { figure, isWithin: code === 0 }
    return /not found|No such/.test(stderr) ? { figure, isWithin: false } : "untold"
  } catch {
    return "untold" // there is no systemd-analyze
  }
}

/** Whether all that policies allow is signed now. What narrower reasons keep back, other lines tell. */
export function daemonLines({ state, pid }: StatusView): readonly LiveLine[] {
  if (state.signs === "all") {
    return [holds("daemon", `It runs (pid ${pid}), and signs what policies allow.`)]
  }
  return state.reasons
    .filter(({ scope }) => scope === "all")
    .map((reason) => lacks("daemon", toldReason(reason), reason.fix))
}

/** Whether the vault and the gate that run are this program's version. */
export async function versionLines(
  { version: vault }: Pick<StatusView, "version">,
  at: { readonly host: string; readonly port: number; readonly restart: string },
  ask = askGate,
): Promise<readonly LiveLine[]> {
  const where = `${hostInUrl(at.host)}:${at.port}`
  const gate = await ask(`http://${where}/openapi.json`)
  if (gate === undefined) {
    const message = `the gate doesn't answer at ${where}.`
    return [notKnown("versions", message, at.restart)]
  }
  if (vault === version && gate === version) {
    return [holds("versions", `Vault, gate and this program are ${version}.`)]
  }
  const message = `This program is ${version}, the vault that runs ${vault}, the gate ${gate}.`
  return [lacks("versions", message, at.restart)]
}

/** How long the gate may take to answer. */
const longestWaitMs = 3_000

/** The version that a gate says in its contract, which it reads once, when it starts. */
async function askGate(url: string): Promise<string | undefined> {
  try {
    const answer = await fetchDirect(url, { signal: AbortSignal.timeout(longestWaitMs) })
    const contract = (await answer.json()) as { readonly info?: { readonly version?: unknown } }
    const said = contract.info?.version
    return typeof said === "string" ? said : undefined
  } catch {
    return undefined
  }
}

/** Whether a time server sets the clock, and neither the vault nor the venue's answers doubt it. */
export function clockLines(
  { state, alarms }: Pick<StatusView, "state" | "alarms">,
  isSynchronised: boolean | undefined,
): readonly LiveLine[] {
  const setClock = "timedatectl set-ntp true"
  const doubts = [
    ...state.reasons
      .filter(({ code }) => code === "clock_unsafe")
      .map((reason) => lacks("clock", toldReason(reason), reason.fix)),
    ...alarms
      .filter(({ name }) => name === "clock_off" || name === "clock_stops_orders")
      .map(({ fact }) => lacks("clock", `${fact}.`, setClock)),
  ]
  if (doubts.length > 0) return doubts
  if (isSynchronised === true) {
    const message = "A time server sets it, and no answer of the venue says otherwise."
    return [holds("clock", message)]
  }
  if (isSynchronised === false) return [lacks("clock", "No time server sets it.", setClock)]
  const message = "nothing here can tell whether a time server sets it."
  return [
    notKnown("clock", message, `${setClock}, then timedatectl show --property=NTPSynchronized`),
  ]
}

/** Whether alarms go somewhere, and get there: the gate sends each target a message now, by the way that alarms take. */
export async function alarmLines(
  targets: readonly Pick<NotifyTarget, "name">[],
  trial: (names: readonly string[]) => Promise<readonly TargetStand[]>,
): Promise<readonly LiveLine[]> {
  if (targets.length === 0) {
    const fix =
      "add a target to notify in countersign.yaml, as docs/operations/alarms.md shows, then run: countersign policy reload"
    return [lacks("alarms", "countersign.yaml names no target, so nobody is told.", fix)]
  }
  const stands = await trial(targets.map(({ name }) => name))
  return stands.map(({ name, failing }) =>
    failing === null
      ? holds("alarms", `${name} took a message that the gate sent just now.`)
      : lacks("alarms", `${name} took no message: ${failing}`, "countersign notify test"),
  )
}

/** Whether `countersign backup` wrote and checked a copy within a day; each is an act in the ledger. */
export async function backupLines(
  readLedger: ReadLedger,
  nowMs: number,
): Promise<readonly LiveLine[]> {
  const filter = { kind: "act", sinceMs: nowMs - dayMs }
  const last = await readLedger((ledger) =>
    entriesBefore(ledger, Infinity, filter).find(({ row }) => fieldsOf(row)["act"] === "backed_up"),
  )
  if (last === undefined) {
    const fix = 'countersign backup --to "/var/backups/countersign/ledger-$(date +%F).db"'
    return [lacks("backup", "The ledger wasn't backed up within a day.", fix)]
  }
  return [holds("backup", `The ledger was backed up and checked ${agoWords(last.at_ms, nowMs)}.`)]
}
