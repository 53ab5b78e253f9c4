import * as z from "zod"

import { alarmsNow } from "../../conditions/alarms.ts"
import type { StatusView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { parseJson } from "../../std/parse-json.ts"
import type { Admin } from "./admin.ts"

/**
 * How a daemon stands.
 *
 * @throws {Fault} `vault_unavailable` where it was started by a version of the program whose answer has another form.
 */
export async function askStatus(admin: Pick<Admin, "call">): Promise<StatusView> {
  const { at, version, state, ...told } = await admin.call("status", {})
  if (typeof (state as unknown) !== "object") throw otherVersion()
  const facts = await admin.call("facts", {}).catch((error: unknown) => {
    throw error instanceof Fault && error.code === "link_protocol" ? otherVersion(error) : error
  })
  return { at, version, state, alarms: alarmsNow(facts), ...told }
}

function otherVersion(cause?: unknown): Fault {
  return new Fault(
    "vault_unavailable",
    "The daemon that runs was started by another version of countersign; restart it, then run this again.",
    { cause },
  )
}

/** What keeps gate and vault apart, by how the vault was started: a clause without an end. */
export function separationWords(startedBy: NonNullable<StatusView["started_by"]>): string {
  switch (startedBy) {
    case "serve":
      return "gate and vault are one user (under serve): guards against bugs and accidents, not against that user"
    case "service":
      return "the vault is a service with a user of its own: a boundary, as long as nothing else runs as that user"
  }
}

/** What a vault says of the PostgreSQL that has its ledger's order; `said` is the server's own. */
const told = z.object({
  host: z.string(),
  hosts: z.array(z.string()),
  replicas: z.number(),
  entry: z.number(),
  hash: z.string(),
  round_trip_ms: z.number(),
  asked_ms: z.number(),
  answered_ms: z.number(),
  said: z.string().nullable(),
})

const names = z.array(z.string()).nullable()
const numbers = z.record(z.string(), z.number()).nullable()

const server = z.object({
  now_ms: z.number(),
  // Packagers add words of theirs: 15.18 (Debian 15.18-0+deb12u1).
  version: z.string().regex(/^\d[\w.+~:() -]{0,99}$/),
  timeline: z.string().regex(/^[0-9A-F]{8}$/),
  system: z.string().regex(/^\d{1,20}$/),
  /** `synchronous_standby_names`. */
  standbys: z.string(),
  /** Whom it sends what it writes; `sync` is `null` where the role may not know. */
  senders: z.array(z.object({ name: z.string(), sync: z.string().nullable() })).nullable(),
  /** Settings that should be on and aren't. */
  off: z.array(z.enum(["fsync", "full_page_writes", "data_checksums"])).nullable(),
  /** What the role may do besides what it needs. */
  rights: names,
  roles: names,
  /** How long ago each host's session spoke, in milliseconds. */
  sessions: numbers,
  /** Each host's last entry, of those that added one lately. */
  entries: numbers,
})

export type ServerSays = z.infer<typeof server>

/** PostgreSQL as the vault sees it. */
export type ServerStand = Omit<z.infer<typeof told>, "said"> & {
  /** `closed`: the role may not ask. */
  readonly server: ServerSays | "closed" | "unreadable"
}

/** Asks a running daemon; `undefined` where the ledger is its host's alone. @throws {Fault} */
export async function askServer(admin: Pick<Admin, "call">): Promise<ServerStand | undefined> {
  const { said: text } = await admin.call("ledgerServer", {})
  if (text === null) return undefined
  const { said, ...stand } = told.parse(JSON.parse(text))
  return {
    ...stand,
    server: said === null ? "closed" : (server.safeParse(parseJson(said)).data ?? "unreadable"),
  }
}
