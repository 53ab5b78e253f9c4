import { Fault } from "../../../std/fault.ts"
import type { LedgerKey } from "../store/audit-jobs.ts"
import type { Head, Replica } from "../store/store.ts"
import { sealBatch } from "./batch.ts"
import { addBatch, type Reached } from "./tables.ts"

export type ReplicaAsk = {
  readonly host: string
  readonly replicas: number
  readonly key: LedgerKey
  /** The last entry here and there. */
  readonly head: Head
}

/** Adds to PostgreSQL what is appended here, a batch at a time. */
export function replicaOn({ session, ledger }: Reached, ask: ReplicaAsk): Replica {
  const { host, replicas, key } = ask
  let previous = ask.head
  return {
    ended: session.ended,
    async append({ rows, head }) {
      if (head.seq !== previous.seq + rows.length) throw overtaken()
      const batch = sealBatch({ firstSeq: previous.seq + 1, head, host, rows }, ledger.name, key)
      const standbys = await addBatch(session, batch, previous)
      if (standbys === undefined) throw overtaken()
      assertReplicated(standbys, replicas)
      previous = head
    },
    close: () => session.end(),
  }
}

/** How many standbys a commit waits for, by `synchronous_standby_names`: `FIRST 2 (a, b)`, `ANY 1 (a, b)`, `2 (a, b)`, `a`. */
export function demanded(standbys: string): number {
  if (standbys.trim() === "") return 0
  return Number(/^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\(/i.exec(standbys)?.[1] ?? 1)
}

function overtaken(): Fault {
  return new Fault(
    "ledger_unavailable",
    "Another Countersign has added to the ledger in PostgreSQL.",
  )
}

/** @throws {Fault} `ledger_unavailable` where a commit waits for fewer. */
export function assertReplicated(standbys: readonly string[], replicas: number): void {
  const least = Math.min(...standbys.map(demanded))
  if (least >= replicas) return
  throw new Fault(
    "ledger_unavailable",
    `PostgreSQL waits for ${least} standbys and ledger.replicas asks for ${replicas}; set synchronous_standby_names.`,
  )
}
