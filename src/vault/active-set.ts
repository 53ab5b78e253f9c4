import { createHash } from "node:crypto"

import type { Client, KeyEntry } from "./bindings.ts"
import type { Config } from "./config.ts"
import type { Freeze } from "./freeze.ts"
import type { Raise } from "./ledger/admin-entry.ts"
import type { Policy } from "./policy/policy.ts"
import type { FileText } from "./read-file-set.ts"
import type { Profile } from "../venue/profile.ts"
import type { FedPrices } from "./reference-prices.ts"

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
  /** Those that nobody thawed. */
  readonly freezes: readonly Freeze[]
  /** Clients whose silence counts, for they were heard and weren't missed since. */
  readonly armed: readonly string[]
}

const nothingSaid: Standing = {
  prices: new Map(),
  raises: [],
  acceptedHash: undefined,
  freezes: [],
  armed: [],
}

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
    clientByTokenHash: new Map(
      clients.flatMap((client) => (client.tokenHash === null ? [] : [[client.tokenHash, client]])),
    ),
    policyHash: hashText(JSON.stringify([files.filesHash, keys, clients])),
  })
}

/** The same set under other files: what was bound and what the market says stay. */
export function withFiles(set: ActiveSet, files: FileSet): ActiveSet {
  const { prices, raises, acceptedHash, freezes, armed } = set
  const standing = { prices, raises, acceptedHash, freezes, armed }
  return makeActiveSet({ ...files, ...standing }, [...set.keys.values()], set.clients)
}

/** SHA-256 of UTF-8 text as lower-case hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex")
}
