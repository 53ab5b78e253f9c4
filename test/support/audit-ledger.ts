import { DatabaseSync } from "node:sqlite"

import { readLedger } from "../../src/audit/open-ledger.ts"
import { verifyLedger, type Verdict } from "../../src/audit/verify-ledger.ts"
import { loadLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import type {
  Checkpoint,
  JournalHead,
  LedgerKey,
} from "../../src/vault/ledger/store/audit-queries.ts"
import { fakeClock, startMs, ledgerTime } from "./fake-clock.ts"
import { refusalEntry, reserved } from "./ledger-ask.ts"

/** Checks a ledger as `countersign audit verify` does. */
export function verdictOf(
  file: string,
  options: {
    readonly archives?: readonly string[]
    readonly kept?: Checkpoint
    readonly head?: JournalHead
  } = {},
): Promise<Verdict> {
  return readLedger(file, (ledger) =>
    verifyLedger({
      ...{ ledger, archives: options.archives ?? [], kept: options.kept, head: options.head },
      onProgress: () => undefined,
    }),
  )
}

/** Changes a closed ledger behind the vault's back. */
export function tamper(
  file: string,
  sql: string,
  ...values: (string | number | Uint8Array)[]
): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    if (values.length === 0) database.exec(sql)
    else database.prepare(sql).run(...values)
  } finally {
    database.close()
  }
}

/** A key for checkpoints, made beside a ledger. */
export async function keyBeside(file: string, known?: string): Promise<LedgerKey> {
  const key = await loadLedgerKey(`${file}.key`, known)
  if (!key.ok) throw new Error(key.error)
  return key.value
}

/** The numbers of entries in {@link fillLedger}'s ledger. */
export const filled = {
  act: 1,
  request: 2,
  outcome: 3,
  refusal: 4,
  checkpoint: 5,
  last: 12,
} as const

/** Records twelve entries of most kinds, with two checkpoints; the wall clock starts at `atMs`. */
export async function fillLedger(file: string, atMs = startMs): Promise<void> {
  const clock = fakeClock()
  clock.setWall(atMs)
  const ledger = await openLedger({ file, clock })
  const key = await keyBeside(file)
  let nowMs = atMs
  const round = async (): Promise<void> => {
    const { record } = await reserved(ledger, nowMs)
    await ledger.settle(record, { kind: "accepted", status: 200, code: "0" }, ledgerTime(nowMs))
    ledger.note(refusalEntry(`No, at ${nowMs}.`), ledgerTime(nowMs))
    await ledger.count()
    nowMs += 2_000
  }
  await ledger.act({ act: "started", policy_hash: "ab".repeat(32) }, ledgerTime(nowMs))
  await round()
  await ledger.audit.checkpoint(key, nowMs)
  await round()
  await round()
  await ledger.audit.checkpoint(key, nowMs)
  await ledger.close()
}
