import { quoted } from "../../std/visible.ts"
import type { ServerSays, ServerStand } from "../installation/ask-server.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"
import { standbyFindings } from "./standby-findings.ts"

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
