import { createHash } from "node:crypto"

import type { FileSet } from "../config/file-set.ts"
import type { Bindings, Standing } from "../ledger/bindings.ts"
import type { Client, KeyEntry } from "../ledger/records/bindings.ts"

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

/** The set of files and what was bound by now. Of `last`, under the same files, nothing is made anew that is the same. */
export function boundSet(files: FileSet, bindings: Bindings, last?: ActiveSet): ActiveSet {
  const { keys, clients, prices, raises, acceptedHash, freezes, armed } = bindings
  const standing: Standing = { prices, raises, acceptedHash, freezes, armed }
  if (last?.filesHash === files.filesHash && last.keys === keys && last.clients === clients) {
    return Object.freeze({ ...last, ...standing })
  }
  return makeActiveSet({ ...files, ...standing }, [...keys.values()], clients)
}

/** The same set under other files: what was bound and what the market says stay. */
export function withFiles(set: ActiveSet, files: FileSet): ActiveSet {
  return boundSet(files, set)
}

/** SHA-256 of UTF-8 text as lower-case hex. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex")
}

/** The address of an agent's wallet, held here or elsewhere; `undefined` when nobody said which it is. */
export function walletAddressOf({ wallet }: KeyEntry, { keys }: ActiveSet): string | undefined {
  return wallet === null ? undefined : (keys.get(wallet)?.address ?? wallet)
}
