import type { Config } from "../../vault/config/config.ts"
import { hostInUrl } from "../../gate/listen.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { readConfigFile } from "../../vault/config/load-files.ts"
import { secretFileOf } from "../../vault/custody/secret-file.ts"
import { pickCurve } from "../../vault/keyring/curve.ts"
import { parseProfile } from "../../venue/profile/profile-file.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { askServer } from "../installation/ask-daemon.ts"
import { dialAdmin, loadConfig } from "../installation/admin.ts"
import {
  clockFindings,
  isClockSynchronised,
  type ClockFacts,
  diskFindings,
  missingFinding,
  lookAtDisk,
} from "./machine-findings.ts"
import { curveFinding, keyFinding, openKeychain, keychainFinding } from "./key-findings.ts"
import {
  daemonFindings,
  lookAtDaemon,
  signingFindings,
  type DaemonLook,
  type PortLook,
} from "./daemon-findings.ts"
import { locationWords } from "../installation/usual-installation.ts"
import {
  fileFindings,
  warningFindings,
  type Files,
  listEntries,
  permissionFindings,
  unreadableFindings,
  type Entries,
} from "./file-findings.ts"
import { fail, failureOf, ok, warn, type Check, type Finding } from "./finding.ts"
import { fleetFindings, unaskedFinding, serverFindings } from "./postgres-findings.ts"
import { lookAtLedger } from "./ledger-findings.ts"
import { lookAtTargets } from "./notify-findings.ts"
import { reach, upstreamFinding } from "./upstream-finding.ts"

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
  [
    "keys",
    async ({ config, installation, daemon }) =>
      config === undefined ? [] : [await keyFinding(config, installation, daemon)],
  ],
  ["keychain", lookAtSystemKeychain],
  ["curve", () => [curveFinding(pickCurve())]],
  ["upstream", lookAtUpstream],
  [
    "daemon",
    async ({ daemon, installation, ...known }) => [
      ...daemonFindings(daemon, await lookAtPort(known), installation),
      ...signingFindings(daemon, installation),
    ],
  ],
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
  if (stand === undefined) {
    const message = "countersign.yaml has the ledger there, and the daemon that runs doesn't."
    const fix = `restart it, then run: countersign doctor ${locationWords(installation)}`
    return [warn("postgres", message, fix)]
  }
  const isFleet = postgres.hosts !== undefined
  return [...serverFindings(stand, isFleet), ...(isFleet ? fleetFindings(stand) : [])]
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

async function lookAtPort({ config }: Pick<Known, "config">): Promise<PortLook | undefined> {
  if (config === undefined || config.listen.port === 0) return undefined
  const { host, port } = config.listen
  const url = new URL(`http://${hostInUrl(host)}:${port}`)
  const { kind } = await reach(url)
  return { host, port, isAnswered: kind === "reached" }
}

/** What several checks need of an installation. A file that can't be used hides no other. */
type Known = {
  readonly installation: Installation
  readonly files: Files
  /** countersign.yaml, where at least that can be used. */
  readonly config: Config | undefined
  /** venue.yaml's, where at least that can be used. */
  readonly venue: { readonly baseUrl: string | undefined } | undefined
  readonly daemon: DaemonLook
  readonly listed: Entries
}

/** Reads what can be read of an installation. */
export async function whatIsKnown(installation: Installation): Promise<Known> {
  const [files, config, venue, daemon] = await Promise.all([
    readFiles(installation),
    loadConfig(installation).catch(() => undefined), // why not, `files` tells
    readVenue(installation),
    lookAtDaemon(installation),
  ])
  const listed = await listEntries(installation, config && secretFileIn(config))
  return { installation, files, config, venue, daemon, listed }
}

async function readFiles(installation: Installation): Promise<Files> {
  return loadCheckedFiles(installation).then(
    (files) => ({ kind: "valid", files }),
    (error: unknown) => ({ kind: "broken", error }),
  )
}

async function readVenue(installation: Installation): Promise<Known["venue"]> {
  try {
    const { venueFile } = pathsOf(installation)
    const text = new TextDecoder().decode(await readConfigFile(venueFile))
    const profile = parseProfile(text, venueFile)
    return profile.ok ? { baseUrl: profile.value.baseUrl } : undefined
  } catch {
    return undefined // why not, `files` tells
  }
}

/** A credential's file is there for its unit alone. */
function secretFileIn(config: Config): string | undefined {
  const isGiven = process.env["CREDENTIALS_DIRECTORY"] !== undefined
  const { passphraseFile, credential } = config.keystore
  return credential === undefined || isGiven ? secretFileOf(config, undefined) : passphraseFile
}

/** As package.json and the launcher have it. */
const oldestMajor = 24

/** Whether this Node can run the daemon, and whether it lets the vault give the network up. */
export function nodeFinding(version: string, flags: ReadonlySet<string>): Finding {
  if (Number(version.split(".")[0]) < oldestMajor) {
    return fail(
      "node",
      `This is Node ${version}; the daemon needs Node ${oldestMajor} or newer.`,
      `install the Debian package, which brings its own, or Node ${oldestMajor} or newer`,
    )
  }
  return ok(
    "node",
    flags.has("--allow-net")
      ? `Node ${version}; the vault gives the network up once it listens.`
      : `Node ${version}; it can't give the network up, so only the system around it can keep the vault off the network.`,
  )
}
