import { quoted } from "../../std/visible.ts"
import type { ServerSays } from "../installation/ask-server.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

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
