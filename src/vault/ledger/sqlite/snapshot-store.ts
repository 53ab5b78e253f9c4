import { createHash, type Hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"

import type { SnapshotHead, SnapshotStep, StoredSnapshot } from "../store/meter-queries.ts"

/** Keeps the newest snapshot of the meters, within the open transaction. `length` tells how many entries the journal has. */
export function openSnapshotStore(database: DatabaseSync, length: () => number) {
  const find = headFinder(database)
  const begin = beginner(database)
  const add = adder(database)
  const end = ender(database)
  let begun: Begun | undefined
  return {
    take(step: SnapshotStep): void {
      if (step.kind === "begin") {
        begun = begin(find()?.id ?? 0, length())
        return
      }
      // Its beginning is forgotten when a full disk had the batch run once more: it is given up.
      if (begun === undefined) return
      if (step.kind === "add") {
        add(begun, step.text)
        return
      }
      end(begun, step.head)
      begun = undefined
    },
    /** `undefined` when there is none, or it isn't as it was written. */
    newest(): StoredSnapshot | undefined {
      const found = find()
      return found === undefined || found.seq > length() ? undefined : readWhole(database, found)
    },
  }
}

type Begun = { readonly id: number; readonly seq: number; texts: number; readonly hash: Hash }

type FoundHead = {
  readonly id: number
  readonly seq: number
  readonly head: string
  readonly hash: Uint8Array
}

function headFinder(database: DatabaseSync): () => FoundHead | undefined {
  const find = database.prepare(
    "SELECT id, seq, head, hash FROM meter_snapshots ORDER BY id DESC LIMIT 1",
  )
  return () => find.get() as FoundHead | undefined // our own STRICT table
}

function beginner(database: DatabaseSync): (newestId: number, seq: number) => Begun {
  const dropUnfinished = database.prepare("DELETE FROM meter_snapshot_texts WHERE snapshot > ?")
  return (newestId, seq) => {
    dropUnfinished.run(newestId) // a crash may have cut it off
    return { id: newestId + 1, seq, texts: 0, hash: createHash("sha256") }
  }
}

function adder(database: DatabaseSync): (begun: Begun, text: string) => void {
  const insert = database.prepare(
    "INSERT INTO meter_snapshot_texts (snapshot, place, text) VALUES (?, ?, ?)",
  )
  return (begun, text) => {
    insert.run(begun.id, begun.texts, text)
    begun.texts += 1
    begun.hash.update(`${text}\n`)
  }
}

function ender(database: DatabaseSync): (begun: Begun, head: SnapshotHead) => void {
  const insert = database.prepare(
    "INSERT INTO meter_snapshots (id, seq, head, hash) VALUES (?, ?, ?, ?)",
  )
  const dropHeads = database.prepare("DELETE FROM meter_snapshots WHERE id < ?")
  const dropTexts = database.prepare("DELETE FROM meter_snapshot_texts WHERE snapshot < ?")
  return ({ id, seq, hash }, head) => {
    const text = JSON.stringify(head)
    insert.run(id, seq, text, hash.update(lastLine(seq, text)).digest())
    dropHeads.run(id)
    dropTexts.run(id)
  }
}

function readWhole(
  database: DatabaseSync,
  { id, seq, head, hash }: FoundHead,
): StoredSnapshot | undefined {
  const texts = database
    .prepare("SELECT text FROM meter_snapshot_texts WHERE snapshot = ? ORDER BY place")
    .all(id)
    .map(({ text }) => text as string) // our own STRICT table
  const whole = createHash("sha256")
  for (const text of texts) whole.update(`${text}\n`)
  if (!whole.update(lastLine(seq, head)).digest().equals(hash)) return undefined
  return { seq, head, texts }
}

function lastLine(seq: number, head: string): string {
  return `${seq} ${head}`
}
