import { spanWords } from "../../std/time/time-words.ts"
import { quoted } from "../../std/visible.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { PostgresLedger } from "../../vault/config/ledger-config.ts"
import type { ServerSays, ServerStand } from "../installation/ask-daemon.ts"
import { systemInstallation } from "../service/system.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

/** From here on it is told, and from here on it is too much: every turn and every commit takes one at least. */
const roundTripMs = { long: 5, tooLong: 20 } as const
/** Of the quarter of a second that is allowed. */
const noticeableSkewMs = 100

/** How PostgreSQL stands, which has the ledger's order. `isFleet`: whether several hosts share it. */
export function serverFindings(stand: ServerStand, isFleet: boolean): readonly Finding[] {
  const { server } = stand
  if (server === "closed") return [...tripFindings(stand), closed]
  if (server === "unreadable") return [...tripFindings(stand), unreadable]
  return [
    ok("postgres", whichWords(server)),
    ...tripFindings(stand),
    ...clockFindings(stand, server),
    ...diskFindings(server),
    ...standbyFindings(server, { replicas: stand.replicas, isFleet }),
    ...rightFindings(server),
  ]
}

function whichWords({ version, timeline, system }: ServerSays): string {
  return `It is PostgreSQL ${version}, system ${system}, timeline ${parseInt(timeline, 16)}.`
}

const closed = warn(
  "postgres",
  "The role may not read pg_stat_activity, pg_stat_replication, pg_roles and pg_class, or not call pg_control_system(), pg_current_wal_lsn() and pg_walfile_name(), so how it stands can't be told.",
  "on PostgreSQL, give that back to PUBLIC or to the role, as a new installation has it",
)
const unreadable = warn(
  "postgres",
  "What it says of itself can't be read.",
  "see whether it is PostgreSQL that the relay reaches",
)

function tripFindings({ round_trip_ms: tripMs }: ServerStand): readonly Finding[] {
  const took = `A round trip takes ${tripMs < 10 ? tripMs.toFixed(1) : Math.round(tripMs)} ms`
  if (tripMs <= roundTripMs.long) return [ok("postgres", `${took}.`)]
  const say = tripMs > roundTripMs.tooLong ? fail : warn
  const message = `${took}, and each turn and each commit waits for one at least: over ${roundTripMs.long} ms is long, over ${roundTripMs.tooLong} ms too long.`
  return [say("postgres", message, "have hosts and primary near each other, or see what keeps it")]
}

function clockFindings(
  { asked_ms: askedMs, answered_ms: answeredMs }: ServerStand,
  { now_ms: nowMs }: ServerSays,
): readonly Finding[] {
  const skewMs = Math.max(askedMs - nowMs, nowMs - answeredMs)
  if (skewMs < noticeableSkewMs) {
    return [ok("postgres", `Its clock is less than ${noticeableSkewMs} ms from this host's.`)]
  }
  const message = `Its clock and this host's are at least ${skewMs} ms apart; from 250 ms on this host signs nothing.`
  return [warn("postgres", message, "timedatectl set-ntp true on both, with the same servers")]
}

function diskFindings({ off }: ServerSays): readonly Finding[] {
  return (off ?? []).map((name) =>
    name === "data_checksums"
      ? warn(
          "postgres",
          "It has no data checksums: what its disk changes by itself isn't noticed there.",
          "stop it, then run: pg_checksums --enable; likewise on each standby",
        )
      : fail(
          "postgres",
          `${name} is off, so a power loss takes what was said to be durable.`,
          `set ${name} = on in postgresql.conf, then reload it`,
        ),
  )
}

const rightWords: Readonly<Record<string, string>> = {
  createrole: "may make roles",
  owner: "owns the ledger's tables",
  change: "may change or remove what is recorded there",
  insert: "may add to what is recorded there past the function that is made for that",
  createdb: "may make databases",
  replication: "may replicate",
}
const graveRights: readonly string[] = ["createrole", "owner", "change"]
/** They read what PostgreSQL counts, and nothing else. */
const harmlessRole = /^pg_(?:monitor|read_all_settings|read_all_stats|stat_scan_tables)$/

function rightFindings({ rights, roles }: ServerSays): readonly Finding[] {
  // All else follows from it.
  if (rights?.includes("superuser") === true) return [wideRole(["is a superuser"], fail)]
  const has = rights ?? []
  const others = (roles ?? []).filter((name) => !harmlessRole.test(name))
  const words = [
    ...has.map((right) => rightWords[right] ?? quoted(right)),
    ...others.map((name) => `is a member of ${quoted(name)}`),
  ]
  if (words.length === 0) return [ok("postgres", "The role may do what it needs, and no more.")]
  const isGrave = others.length > 0 || has.some((right) => graveRights.includes(right))
  return [wideRole(words, isGrave ? fail : warn)]
}

function wideRole(words: readonly string[], say: typeof fail): Finding {
  const fix =
    "once all hosts have this version, have psql run what countersign ledger grants prints; take the rest from the role by hand"
  return say("postgres", `The role ${words.join(", ")}.`, fix)
}

type Asked = { readonly replicas: number; readonly isFleet: boolean }

/** Whether commits wait for the standbys that are asked for, and whether an old primary would still have one after a promotion. */
export function standbyFindings(server: ServerSays, asked: Asked): readonly Finding[] {
  const demanded = demandedBy(server.standbys)
  const { count } = demanded
  if (count < asked.replicas) {
    const message = `Commits wait for ${count} standbys, and ledger.replicas asks for ${asked.replicas}; nothing is signed.`
    return [fail("postgres", message, nameFix)]
  }
  if (count === 0) return []
  return [...syncFindings(server, demanded), ...splitFindings(server, demanded, asked)]
}

const nameFix =
  "set synchronous_standby_names = 'FIRST 1 (NAME)' in postgresql.conf, as docs/operations/fleet.md says, then reload it"

/** Without the right to know who is in sync, who is connected. */
function syncFindings({ senders, standbys }: ServerSays, demanded: Demanded): readonly Finding[] {
  const there = (senders ?? []).filter(({ name }) => isNamed(name, demanded))
  const inSync = there.filter(({ sync }) => sync === null || /^(?:sync|quorum)$/.test(sync))
  const isKnown = there.every(({ sync }) => sync !== null)
  const names = inSync.map(({ name }) => quoted(name)).join(", ") || "none"
  const what = `Of ${quoted(standbys)} ${isKnown ? "in sync" : "connected"}: ${names}`
  if (inSync.length >= demanded.count) return [ok("postgres", `${what}.`)]
  const message = `${what}; commits wait for ${demanded.count}, and nothing is signed until they are there.`
  return [fail("postgres", message, "start the standby, or see its log")]
}

/** With as many names as are waited for, a promoted standby leaves the old primary without one. */
function splitFindings(
  { senders, standbys }: ServerSays,
  demanded: Demanded,
  { isFleet }: Asked,
): readonly Finding[] {
  const { count, names } = demanded
  const there = (senders ?? []).filter(({ name }) => isNamed(name, demanded))
  const many = Math.max(there.length, names.length)
  if (many <= count && !names.includes("*")) return []
  const which = names.includes("*") ? "any standby" : `one of ${many} standbys`
  const message = `Commits wait for ${count}, by ${quoted(standbys)}, and that may be ${which}: an old primary that still has another one goes on committing while one is promoted, and ${split(isFleet)}.`
  return [(isFleet ? fail : warn)("postgres", message, nameFix)]
}

function split(isFleet: boolean): string {
  return isFleet ? "the hosts split in two" : "what it commits is lost"
}

/** What `synchronous_standby_names` asks for. */
type Demanded = {
  /** How many standbys a commit waits for. */
  readonly count: number
  /** Those that it may be; `*` is any. */
  readonly names: readonly string[]
}

/** Reads `FIRST 2 (a, b)`, `ANY 1 (a, b)`, `2 (a, b)`, `a, b`; nothing is written in it that PostgreSQL refuses. */
function demandedBy(setting: string): Demanded {
  const [, count, listed] = /^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(setting) ?? []
  const names = [...(listed ?? setting).matchAll(/"((?:[^"]|"")*)"|[^\s,"]+/g)].map(
    ([bare, quoted]) => quoted?.replaceAll('""', '"') ?? bare,
  )
  return { count: names.length === 0 ? 0 : Number(count ?? 1), names }
}

/** Whether a standby that calls itself so is one of them, as PostgreSQL compares names. */
function isNamed(name: string, { names }: Demanded): boolean {
  return names.some((each) => each === "*" || each.toLowerCase() === name.toLowerCase())
}

/** A host speaks once a second, whatever it has to do. */
const silentMs = 10_000

/** Which of the hosts that share the ledger are there. */
export function fleetFindings(stand: ServerStand): readonly Finding[] {
  const { host, hosts, entry, server } = stand
  const here = ok(
    "fleet",
    `This is host ${host} of ${hosts.join(", ")}. Its last entry is ${entry}.`,
  )
  if (server === "closed" || server === "unreadable") return [here]
  const sessions = server.sessions ?? {}
  const entries = server.entries ?? {}
  const others = hosts.filter((name) => name !== host)
  const strangers = Object.keys(sessions).filter((name) => !hosts.includes(name))
  return [
    here,
    ...others.map((name) => hostFinding({ name, agoMs: sessions[name], entry: entries[name] })),
    ...strangers.map((name) =>
      warn(
        "fleet",
        `Host ${quoted(name)} is connected, and ledger.fleet.hosts doesn't list it here.`,
        "have the same list on all hosts, then restart this one",
      ),
    ),
  ]
}

type Other = {
  readonly name: string
  readonly agoMs: number | undefined
  readonly entry: number | undefined
}

function hostFinding({ name, agoMs, entry }: Other): Finding {
  const added = entry === undefined ? "" : ` The last entry that it added is ${entry}.`
  const look = `countersign status on ${name}, and its log`
  if (agoMs === undefined) {
    const message = `Host ${name} isn't connected with PostgreSQL, so it signs nothing.${added}`
    return warn("fleet", message, look)
  }
  if (agoMs > silentMs) {
    const message = `Host ${name} is connected, and stands still for ${spanWords(agoMs)}.${added}`
    return warn("fleet", message, look)
  }
  return ok("fleet", `Host ${name} is connected.${added}`)
}

/** PostgreSQL where no daemon runs that could ask it. */
export function unaskedFinding(
  { host, replicas, hosts }: Pick<PostgresLedger, "host" | "replicas" | "hosts">,
  { stateDir }: Pick<Installation, "stateDir">,
): Finding {
  const whose = hosts === undefined ? "" : ` of ${[...hosts.keys()].join(", ")}`
  const message = `Only a running daemon can ask it, and none answers. By countersign.yaml this is host ${host}${whose}, and commits wait for ${replicas} standbys.`
  const fix =
    stateDir === systemInstallation.stateDir
      ? "journalctl -u countersign-vault -u countersign-relay -n 20 says what a start waits for"
      : "what countersign serve prints says what a start waits for"
  return warn("postgres", message, fix)
}
