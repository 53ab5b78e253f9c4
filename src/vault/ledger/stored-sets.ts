import type { DatabaseSync } from "node:sqlite"

import type { SetActivation, StoredSet } from "./ledger.ts"

/** How many sets one may go back to by `sets`. */
const maxSets = 20

/** The set that `hash` names. */
export function readSet(database: DatabaseSync, hash: string): StoredSet | undefined {
  const found = database.prepare("SELECT files FROM sets WHERE hash = ?").get(hash)
  if (found === undefined) return undefined
  const files = JSON.parse(found["files"] as string) as StoredSet["files"] // written from one
  return { hash, files }
}

/** The sets that were active last, the newest first. */
export function readSets(database: DatabaseSync): readonly SetActivation[] {
  return database
    .prepare("SELECT hash, activated_at FROM sets ORDER BY seq DESC LIMIT ?")
    .all(maxSets)
    .map((set) => ({
      hash: set["hash"] as string,
      activatedAtMs: set["activated_at"] as number,
    }))
}
