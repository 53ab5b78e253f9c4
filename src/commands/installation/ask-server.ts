import * as z from "zod"

import type { Admin } from "./admin.ts"

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
  return { ...stand, server: said === null ? "closed" : read(said) }
}

function read(said: string): ServerSays | "unreadable" {
  try {
    return server.parse(JSON.parse(said))
  } catch {
    return "unreadable"
  }
}
