import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { pickCurve } from "../../vault/keyring/pick-curve.ts"
import { askServer } from "../installation/ask-server.ts"
import { dialAdmin } from "../installation/dial-admin.ts"
import { hostInUrl } from "../cli/host-in-url.ts"
import { clockFindings, type ClockFacts } from "./clock-findings.ts"
import { curveFinding } from "./curve-finding.ts"
import { daemonFindings, type PortLook } from "./daemon-findings.ts"
import { diskFindings, missingFinding } from "./disk-findings.ts"
import { fileFindings, locationWords, warningFindings } from "./file-findings.ts"
import { fleetFindings, unaskedFinding } from "./fleet-findings.ts"
import { failureOf, warn, type Check, type Finding } from "./finding.ts"
import { isClockSynchronised } from "./is-clock-synchronised.ts"
import { keyFinding, openKeychain } from "./key-finding.ts"
import { keychainFinding } from "./keychain-finding.ts"
import { lookAtLedger } from "./ledger-look.ts"
import { lookAtDisk } from "./look-at-disk.ts"
import { nodeFinding } from "./node-finding.ts"
import { lookAtTargets } from "./notify-findings.ts"
import { permissionFindings, unreadableFindings } from "./permission-findings.ts"
import { reach } from "./reach.ts"
import { serverFindings } from "./server-findings.ts"
import { signingFindings } from "./signing-findings.ts"
import { upstreamFinding } from "./upstream-finding.ts"
import { whatIsKnown, type Known } from "./what-is-known.ts"

/**
 * Looks at everything that an installation needs, with its daemon running or stopped, whole or broken.
 * Never throws: what can't be looked at is a finding too.
 */
export async function examine(installation: Installation): Promise<readonly Finding[]> {
  const known = await whatIsKnown(installation)
  const fix = `fix the other findings, then run: countersign doctor ${locationWords(installation)}`
  const found = await Promise.all(
    checks.map(async ([check, look]) => {
      try {
        return await look(known)
      } catch (error) {
        return [failureOf(check, error, fix)]
      }
    }),
  )
  return found.flat()
}

type Look = (known: Known) => readonly Finding[] | Promise<readonly Finding[]>

/** In the order in which they are told. */
const checks: readonly (readonly [Check, Look])[] = [
  ["node", () => [nodeFinding(process.versions.node, process.allowedNodeEnvironmentFlags)]],
  ["files", ({ files, installation }) => fileFindings(files, installation)],
  ["permissions", lookAtPermissions],
  ["disk", lookAtStateDirectory],
  ["clock", async ({ listed }) => clockFindings(await clockFacts(listed.entries))],
  ["ledger", lookAtRecords],
  ["postgres", lookAtPostgres],
  ["keys", lookAtKeys],
  ["keychain", lookAtSystemKeychain],
  ["curve", () => [curveFinding(pickCurve())]],
  ["upstream", lookAtUpstream],
  ["daemon", lookAtProcesses],
  [
    "notify",
    ({ config, installation }) => (config === undefined ? [] : lookAtTargets(config, installation)),
  ],
]

function lookAtPermissions({ listed, installation }: Known): readonly Finding[] {
  const uid = process.geteuid?.() ?? 0
  const where = locationWords(installation)
  const unreadable = unreadableFindings(listed.unreadable, where)
  if (listed.entries.length === 0) return unreadable
  return [
    ...unreadable,
    ...permissionFindings(listed.entries, { uid, where, stateDir: installation.stateDir }),
  ]
}

async function lookAtStateDirectory({ installation, config }: Known): Promise<readonly Finding[]> {
  const facts = await lookAtDisk(installation, config)
  return facts === undefined ? [missingFinding(installation)] : diskFindings(facts)
}

async function clockFacts(entries: Known["listed"]["entries"]): Promise<ClockFacts> {
  const isSynchronised = await isClockSynchronised()
  const times = entries.map(({ writtenMs }) => writtenMs)
  const newestWriteMs = times.length === 0 ? undefined : Math.max(...times)
  return { nowMs: Date.now(), newestWriteMs, isSynchronised }
}

async function lookAtRecords({ installation, daemon, files }: Known): Promise<readonly Finding[]> {
  const set = files.kind === "valid" ? files.files : undefined
  const { finding, warnings } = await lookAtLedger(installation, daemon, set)
  return [finding, ...warningFindings(warnings, installation)]
}

/** The daemon has the one connection that there is. */
async function lookAtPostgres({ config, installation }: Known): Promise<readonly Finding[]> {
  const postgres = config?.postgres
  if (postgres === undefined) return []
  const admin = await dialAdmin(installation).catch(() => undefined) // why not, `daemon` tells
  if (admin === undefined) return [unaskedFinding(postgres, installation)]
  const stand = await askServer(admin).finally(() => admin.close())
  if (stand === undefined) return [restartFinding(installation)]
  const isFleet = postgres.hosts !== undefined
  return [...serverFindings(stand, isFleet), ...(isFleet ? fleetFindings(stand) : [])]
}

function restartFinding(installation: Installation): Finding {
  const message = "countersign.yaml has the ledger there, and the daemon that runs doesn't."
  return warn(
    "postgres",
    message,
    `restart it, then run: countersign doctor ${locationWords(installation)}`,
  )
}

async function lookAtKeys({ config, installation, daemon }: Known): Promise<readonly Finding[]> {
  return config === undefined ? [] : [await keyFinding(config, installation, daemon)]
}

async function lookAtSystemKeychain({ config, installation }: Known): Promise<readonly Finding[]> {
  if (config?.keystore.backend !== "keychain") return [await keychainFinding(undefined)]
  return [await keychainFinding(() => openKeychain(config, installation))]
}

async function lookAtUpstream({ venue, installation, config }: Known): Promise<readonly Finding[]> {
  const { venueFile } = pathsOf(installation)
  if (venue !== undefined) {
    const connect = (url: URL) => reach(url, config?.upstream)
    return [await upstreamFinding({ baseUrl: venue.baseUrl, venueFile }, connect)]
  }
  const fix = `countersign policy check ${locationWords(installation)}`
  return [warn("upstream", "It wasn't tried, since venue.yaml can't be used.", fix)]
}

async function lookAtProcesses(known: Known): Promise<readonly Finding[]> {
  const { daemon, installation } = known
  const found = daemonFindings(daemon, await lookAtPort(known), installation)
  return [...found, ...signingFindings(daemon, installation)]
}

async function lookAtPort({ config }: Known): Promise<PortLook | undefined> {
  if (config === undefined || config.listen.port === 0) return undefined
  const { host, port } = config.listen
  const url = new URL(`http://${hostInUrl(host)}:${port}`)
  const { kind } = await reach(url)
  return { host, port, isAnswered: kind === "reached" }
}
