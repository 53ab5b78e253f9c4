import { stat } from "node:fs/promises"
import { after, before, describe, it } from "node:test"

import { prepareLedgerFile } from "../../../../../src/vault/ledger/sqlite/database.ts"
import { aClaim } from "../../../../support/a-claim.ts"
import { openKept } from "../../../../support/a-snapshot.ts"
import { growLedger } from "../../../../support/big-ledger.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  recordOf,
  reserve,
  ledgerPlace,
  plainAsk,
  reserved,
  signer,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { query, readLedger } from "../../../../support/read-ledger.ts"

import assert from "node:assert/strict"

/** Every tenth entry is a refusal, and of the others every third a request. */
const requestShare = 3 / 10

for (const entries of [5_000, 50_000]) {
  describe(`a ledger of ${entries.toLocaleString("en")} entries`, () => {
    const clock = fakeClock()
    let place: LedgerPlace
    let ids: readonly string[]
    before(async () => {
      place = await ledgerPlace()
      await prepareLedgerFile(place.file)
      const who = { client: "mm-bot", key: "mm-agent", signer }
      ids = growLedger(place.file, { ...who, entries, endMs: startMs })
    })
    after(() => place.remove())

    it("is a whole chain of rows as the daemon writes them", async () => {
      const journal = readLedger(place.file)
      assert.equal(journal.length, entries)
      assert.equal(query(place.file, "SELECT id FROM requests").length, entries * requestShare)
      const { ledger } = await openKept({ file: place.file, clock })
      const found = await recordOf(ledger, ids[0] ?? "", ledgerTime(startMs))
      await ledger.close()
      assert.equal(found?.id, ids[0])
    })

    it("folds nothing at a start after an orderly stop, and then only what came since", async () => {
      const claims = [aClaim({ max: "100000" })]
      const first = await openKept({ file: place.file, clock, countedBy: "anew", claims })
      await first.ledger.close()
      assert.equal(first.folded, entries * requestShare)
      const second = await openKept({ file: place.file, clock, countedBy: "anew", claims })
      for (let request = 0; request < 5; request++) {
        await reserve(second.ledger, { ...plainAsk, claims, nowMs: ledgerTime(clock.nowMs()) })
      }
      await reserved(second.ledger, clock.nowMs())
      await second.ledger.close()
      assert.equal(second.folded, 0)
      const third = await openKept({ file: place.file, clock, countedBy: "anew", claims })
      await third.ledger.close()
      assert.equal(third.folded, 0)
    })

    it("keeps as many parts as a small one does, and no write-ahead log while it is closed", async () => {
      await assert.rejects(stat(`${place.file}-wal`), { code: "ENOENT" })
      const texts = query(place.file, "SELECT length(text) AS chars FROM meter_snapshot_texts")
      assert.equal(texts.length, 1)
      assert.ok((texts[0]?.["chars"] as number) < 100_000)
    })
  })
}
