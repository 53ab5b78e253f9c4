import { createHash } from "node:crypto"

import { Fault } from "../std/fault.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { Config } from "./config.ts"
import type { AdminEntry, Raise } from "./ledger/ledger.ts"
import type { Policy } from "./policy/policy.ts"
import type { FileText } from "./read-file-set.ts"
import type { Profile } from "../venue/profile.ts"
import { withPrice, type FedPrices } from "./reference-prices.ts"

/** What the files say, and a hash of their bytes. */
export type FileSet = {
  readonly config: Config
  readonly profile: Profile
  readonly policies: readonly Policy[]
  /** The files themselves, so that a set can be run again. */
  readonly texts: readonly FileText[]
  /** SHA-256 over names and bytes, hex. */
  readonly filesHash: string
}

/**
 * Everything that a decision depends on, as one value that never changes: a request is judged by one
 * set from start to end, and `policyHash` in its record says which.
 */
export type ActiveSet = FileSet & {
  readonly keys: ReadonlyMap<string, KeyEntry>
  readonly clients: readonly Client[]
  readonly clientByTokenHash: ReadonlyMap<string, Client>
  /** SHA-256 over `filesHash` and the bindings of clients and keys, hex. */
  readonly policyHash: string
} & Standing

/** What operators and feeds said: it changes from minute to minute, so it isn't part of the hash. */
export type Standing = {
  readonly prices: FedPrices
  /** Limits that are raised for a while; those that have ended may still be in it. */
  readonly raises: readonly Raise[]
  /** The files that a person accepted last, by `filesHash`. */
  readonly acceptedHash: string | undefined
}

const nothingSaid: Standing = { prices: new Map(), raises: [], acceptedHash: undefined }

/** Puts files and bindings together; without a standing no price was fed and no limit is raised. */
export function makeActiveSet(
  files: FileSet & Partial<Standing>,
  keys: readonly KeyEntry[],
  clients: readonly Client[],
): ActiveSet {
  return Object.freeze({
    ...nothingSaid,
    ...files,
    keys: new Map(keys.map((key) => [key.name, key])),
    clients,
    clientByTokenHash: new Map(clients.map((client) => [client.tokenHash, client])),
    policyHash: hashText(JSON.stringify([files.filesHash, keys, clients])),
  })
}

/**
 * The set after an act. Acts that change no binding leave it as it is.
 *
 * @throws {Fault} `name_taken` when a key or client would take another one's place.
 */
export function applyAct(set: ActiveSet, entry: AdminEntry): ActiveSet {
  const keys = [...set.keys.values()]
  switch (entry.act) {
    case "key_added":
      assertFree(entry.key.name, [...set.keys.keys()])
      return makeActiveSet(set, [...keys, entry.key], set.clients)
    case "client_added":
      assertFree(
        entry.client.name,
        set.clients.map(({ name }) => name),
      )
      return makeActiveSet(set, keys, [...set.clients, entry.client])
    case "agent_approved":
      return withKey(set, entry.name, { approval: "approved", expiresAtMs: entry.expiresAtMs })
    case "agent_revoked":
      return withKey(set, entry.name, { approval: "revoked" })
    case "price_set":
      return Object.freeze({ ...set, prices: withPrice(set.prices, entry) })
    case "limit_raised":
      return Object.freeze({ ...set, raises: [...set.raises, entry] })
    case "set_accepted":
      return Object.freeze({ ...set, acceptedHash: entry.hash })
    case "key_exported":
    case "started":
    case "set_activated":
      return set
  }
}

/** The same set under other files: what was bound and what the market says stay. */
export function withFiles(set: ActiveSet, files: FileSet): ActiveSet {
  const { prices, raises, acceptedHash } = set
  const standing = { prices, raises, acceptedHash }
  return makeActiveSet({ ...files, ...standing }, [...set.keys.values()], set.clients)
}

function assertFree(name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return
  throw new Fault("name_taken", `The name ${name} is taken; choose another one.`)
}

/** What is revoked stays as it is: a revocation is for good. */
function withKey(set: ActiveSet, name: string, change: Partial<KeyEntry>): ActiveSet {
  const keys = [...set.keys.values()].map((key) =>
    key.name === name && key.approval !== "revoked" ? { ...key, ...change } : key,
  )
  return makeActiveSet(set, keys, set.clients)
}

/** SHA-256 of UTF-8 text as lower-case hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex")
}
