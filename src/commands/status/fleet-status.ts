import type { Admin } from "../installation/admin.ts"
import { askServer } from "../installation/ask-daemon.ts"

/** Which of several hosts this is, and who is there besides. */
export type FleetStatus = {
  readonly host: string
  /** The last entry that it has, whose hash is the same on every host that has it. */
  readonly entry: number
  readonly hash: string
  /** `connected`: with PostgreSQL, now; `null` where nobody can tell. */
  readonly others: readonly { readonly name: string; readonly connected: boolean | null }[]
}

/** `null` where this host shares its ledger with none, or where PostgreSQL doesn't answer, which other lines tell. */
export async function fleetStatus(admin: Pick<Admin, "call">): Promise<FleetStatus | null> {
  const stand = await askServer(admin).catch(() => undefined)
  if (stand === undefined || stand.hosts.length < 2) return null
  const { host, hosts, entry, hash, server } = stand
  const sessions = typeof server === "string" ? undefined : (server.sessions ?? {})
  const others = hosts
    .filter((name) => name !== host)
    .map((name) => ({ name, connected: sessions === undefined ? null : name in sessions }))
  return { host, entry, hash, others }
}

/** For people: `host a, with entry 12; b connected; c not connected`. */
export function fleetWords({ host, entry, others }: FleetStatus): string {
  const isKnown = others.every(({ connected }) => connected !== null)
  const there = namesOf(others.filter(({ connected }) => connected === true))
  const away = namesOf(others.filter(({ connected }) => connected === false))
  const who = [
    ...(there === "" ? [] : [`${there} connected`]),
    ...(away === "" ? [] : [`${away} not connected`]),
    ...(isKnown ? [] : ["nobody can tell who else is connected"]),
  ]
  return `host ${host}, with entry ${entry}; ${who.join("; ")}`
}

function namesOf(hosts: FleetStatus["others"]): string {
  return hosts.map(({ name }) => name).join(", ")
}
