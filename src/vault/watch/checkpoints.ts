import type { Result } from "../../std/result.ts"
import { loadLedgerKey } from "../ledger/audit/ledger-key.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { LedgerKey } from "../ledger/store/audit-queries.ts"
import type { Clock } from "../process/clock.ts"
import { logFailure } from "../process/log.ts"

/** The journal's head, signed from time to time. It never keeps anything from being signed for a bot. */
export type Checkpoints = Awaited<ReturnType<typeof openCheckpoints>>

/** A checkpoint comes after so many entries, or a second later. */
const maxEntriesBetween = 10_000
/** How long an entry waits for a checkpoint. */
const maxWaitMs = 3_600_000

/** Loads the ledger's key, which is made together with its ledger. */
export async function openCheckpoints(input: {
  readonly keyFile: string
  readonly ledger: Ledger
  readonly clock: Clock
  /** Other hosts append too: of these the one that made the ledger signs checkpoints. */
  readonly isShared?: boolean
}) {
  const { keyFile, ledger, clock, isShared = false } = input
  const { seq: openedSeq, checkpoint } = await ledger.audit.ends()
  const load = () => loadLedgerKey(keyFile, checkpoint?.publicKey)
  let key: Result<LedgerKey, string> = await load()
  let signedAtMs = clock.monotonicMs()

  async function sign(): Promise<boolean> {
    signedAtMs = clock.monotonicMs()
    if (!key.ok) key = await load() // it may have been put back
    if (!key.ok) return false
    await ledger.audit.checkpoint(key.value, ledger.now())
    return true
  }

  return {
    /** Signs the head now. `false` when there is no key to sign with. */
    sign,
    /** As `sign`, if anything was recorded since this was opened. */
    async signChanges(): Promise<void> {
      if ((await ledger.audit.ends()).seq > openedSeq) await sign()
    },
    /** Signs when it is time to: after so many entries, or so long after a change. */
    async signIfDue(): Promise<void> {
      const { seq, checkpoint: last } = await ledger.audit.ends()
      const entries = seq - (last?.seq ?? 0)
      const isLate = entries > 0 && clock.monotonicMs() - signedAtMs >= maxWaitMs
      if (entries >= maxEntriesBetween || isLate) await sign()
    },
    /** Why none can be signed, in a sentence each; empty when all is well. */
    alarms: () =>
      key.ok || isShared
        ? []
        : [`The ledger's checkpoints aren't signed, for ${key.error}. All else goes on.`],
  }
}

const everyMs = 1_000

/** Signs checkpoints in time until the process is told to end: its vault signs the last one when it closes. */
export function signCheckpointsInTime(checkpoints: Checkpoints): void {
  let isAtWork = false
  const look = (): void => {
    if (isAtWork) return
    isAtWork = true
    checkpoints
      .signIfDue()
      .catch((error: unknown) => logFailure("checkpoint_not_signed", error))
      .finally(() => (isAtWork = false))
  }
  const looking = setInterval(look, everyMs).unref()
  for (const end of ["SIGTERM", "disconnect"]) process.once(end, () => clearInterval(looking))
}
