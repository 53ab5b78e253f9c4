import { hash } from "node:crypto"

import type { FileSet } from "../config/file-set.ts"
import type { Bindings, Standing } from "../ledger/bindings.ts"
import { hasEnded, type Client, type KeyEntry } from "../ledger/records/bindings.ts"

/**
 * Everything that a decision depends on, as one immutable value. A request is judged by one set from start to
 * end, and `policyHash` in its record says which.
 */
export type ActiveSet = FileSet & {
  readonly keys: ReadonlyMap<string, KeyEntry>
  /** Those of them that may still sign. */
  readonly usableKeys: ReadonlyMap<string, KeyEntry>
  readonly clients: readonly Client[]
  readonly clientByTokenHash: ReadonlyMap<string, Client>
  /** SHA-256 over `filesHash` and the bindings of clients and keys, hex. */
  readonly policyHash: string
} & Standing

const nothingSaid: Standing = {
  prices: new Map(),
  raises: [],
  acceptedHash: undefined,
  freezes: [],
  armed: [],
}

/** Makes a set of files and bindings. Without a standing, no price was fed and no limit is raised. */
export function makeActiveSet(
  files: FileSet & Partial<Standing>,
  keys: readonly KeyEntry[],
  clients: readonly Client[],
): ActiveSet {
  return Object.freeze({
    ...nothingSaid,
    ...files,
    keys: byName(keys),
    usableKeys: byName(keys.filter((key) => !hasEnded(key))),
    clients,
    clientByTokenHash: new Map(
      clients.flatMap((client) => (client.tokenHash === null ? [] : [[client.tokenHash, client]])),
    ),
    policyHash: hash("sha256", JSON.stringify([files.filesHash, keys, clients])),
  })
}

function byName(keys: readonly KeyEntry[]): ReadonlyMap<string, KeyEntry> {
  return new Map(keys.map((key) => [key.name, key]))
}

/** The set of files and current bindings. Under the same files it takes over from `last` what hasn't changed. */
export function boundSet(files: FileSet, bindings: Bindings, last?: ActiveSet): ActiveSet {
  const { keys, clients, prices, raises, acceptedHash, freezes, armed } = bindings
  const standing: Standing = { prices, raises, acceptedHash, freezes, armed }
  if (last?.filesHash === files.filesHash && last.keys === keys && last.clients === clients) {
    return Object.freeze({ ...last, ...standing })
  }
  return makeActiveSet({ ...files, ...standing }, [...keys.values()], clients)
}

/** The address of an agent's wallet, held here or elsewhere; `undefined` if it isn't known. */
export function walletAddressOf({ wallet }: KeyEntry, { keys }: ActiveSet): string | undefined {
  return wallet === null ? undefined : (keys.get(wallet)?.address ?? wallet)
}
