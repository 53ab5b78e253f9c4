import type { Ledger } from "./ledger/ledger.ts"
import { openLedger } from "./ledger/open-ledger.ts"
import { openWaitingRoom, type WaitingRoom } from "./waiting-room.ts"

/**
 * Opens the ledger, and where calls wait for room in its budgets. Every act but a price may be what those who
 * wait are refused for by now, so each has them judged anew; and nobody waits for a ledger that is closed.
 *
 * @throws {Fault} as {@link openLedger} does.
 */
export async function openWaitedLedger(
  opening: Parameters<typeof openLedger>[0],
): Promise<{ readonly ledger: Ledger; readonly waiting: WaitingRoom }> {
  const ledger = await openLedger(opening)
  const waiting = openWaitingRoom({ budgets: ledger.budgets, clock: opening.clock })
  return {
    waiting,
    ledger: {
      ...ledger,
      // Who waits goes on in another turn, by when what follows from the act is in force.
      act(entry, nowMs) {
        const acted = ledger.act(entry, nowMs)
        if (entry.act !== "price_set") waiting.reconsider()
        return acted
      },
      close() {
        waiting.end()
        return ledger.close()
      },
    },
  }
}
