import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { openLedgerOver } from "../../../src/vault/ledger/open-ledger.ts"
import type { Ledger } from "../../../src/vault/ledger/ledger.ts"
import { readLedger } from "../../../src/audit/open-ledger.ts"
import { entriesAfter } from "../../../src/audit/read-entries.ts"
import type { OpenStore } from "../../../src/vault/ledger/store/store.ts"
import { ever } from "../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../src/venue/decimal.ts"
import { aClaim } from "../../support/a-claim.ts"
import { verdictOf } from "../../support/audit-ledger.ts"
import { fakeClock, ledgerTime, type FakeClock } from "../../support/fake-clock.ts"
import { plainAsk, reserve } from "../../support/ledger-ask.ts"
import type { FileEngine } from "../../support/ledger-engines.ts"
import { numRuns } from "../../support/runs.ts"

const dayMs = 86_400_000
/** More than all that a history waits: how long a start may come after the last record isn't what is tried here. */
const maxStartGapMs = 365 * dayMs

/** The oracle counts in thousandths. */
const max = 20_000n
const meters = ["life:one", "life:other"]

/** A decimal with more or fewer digits after its point. */
const amount = fc
  .record({
    coefficient: fc.bigInt({ min: 1n, max: 9_000n }),
    scale: fc.integer({ min: 0, max: 3 }),
  })
  .map((decimal) => ({
    text: formatDecimal(decimal),
    thousandths: decimal.coefficient * 10n ** BigInt(3 - decimal.scale),
  }))
  .filter(({ thousandths }) => thousandths <= max)

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant("take"), meter: fc.nat({ max: 1 }), amount }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constantFrom("reload", "restart", "archive", "wait") }),
  },
)

function claimOf(meter: string, text: string, limit: string) {
  return aClaim({ meter, window: ever, amount: text, max: formatDecimal(maxDecimal), limit })
}

const maxDecimal = { coefficient: max, scale: 3 }

/** A ledger that is reloaded, restarted and archived. */
class History {
  readonly clock: FakeClock = fakeClock()
  readonly #openStore: OpenStore
  readonly #file: string
  #ledger: Ledger | undefined
  #archived = 0
  /** What the limit is called: a reload renames it. */
  #name = 0

  constructor({ file, openStore }: { readonly file: string; readonly openStore: OpenStore }) {
    this.#file = file
    this.#openStore = openStore
  }

  get ledger(): Ledger {
    assert.ok(this.#ledger)
    return this.#ledger
  }

  claim(meter: string, text: string) {
    return claimOf(meter, text, `life-${this.#name}`)
  }

  async restart(): Promise<void> {
    await this.#ledger?.close()
    this.#ledger = await openLedgerOver(this.#openStore, { clock: this.clock, maxStartGapMs })
    await this.reload()
  }

  /** All that was recorded counts in the fold, were it not that nothing that counts for ever is folded. */
  async reload(): Promise<void> {
    this.#name += 1
    await this.ledger.replaceMeters(() => meters.map((meter) => this.claim(meter, "1")), Infinity, {
      countedBy: String(this.#name % 2),
    })
  }

  wait(): void {
    this.clock.pass(6 * dayMs)
  }

  /** Everything there is goes into an archive, and out of the ledger. */
  async archive(): Promise<void> {
    const { audit } = this.ledger
    await audit.ends() // all is on the disk then
    const entries = await readLedger(this.#file, (ledger) =>
      entriesAfter(ledger, this.#archived).toArray(),
    )
    const [first, last] = [entries[0], entries.at(-1)]
    if (first === undefined || last === undefined) return
    const last_hash = Buffer.from(last.hash).toString("hex")
    const bounds = { first_seq: first.seq, last_seq: last.seq, from_ms: 0, to_ms: last.at_ms }
    const named = { file: `${last.seq}.gz`, sha256: "00".repeat(32), last_hash }
    const nowMs = ledgerTime(this.clock.nowMs())
    await this.ledger.act({ act: "archived", ...named, ...bounds }, nowMs)
    while ((await audit.trim()) > 0);
    this.#archived = last.seq
  }
}

/** What counts for ever, in a ledger of this engine. */
export function holdEver(engine: FileEngine): void {
  describe("what counts for ever", () => {
    it("is a plain sum, and never passes its maximum, over reloads, renames, restarts, archives and time", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
          const place = await engine.place()
          const history = new History(place)
          const sums = new Map(meters.map((meter) => [meter, 0n]))
          try {
            await history.restart()
            for (const one of steps) {
              if ("meter" in one) {
                const meter = meters[one.meter]!
                const before = sums.get(meter)!
                const { text, thousandths } = one.amount
                const nowMs = ledgerTime(history.clock.nowMs())
                const claims = [history.claim(meter, text)]
                const { kind } = await reserve(history.ledger, { ...plainAsk, claims, nowMs })
                assert.equal(kind, before + thousandths <= max ? "reserved" : "refused")
                if (kind === "reserved") sums.set(meter, before + thousandths)
              } else await history[one.does]()
              assert.deepEqual(usedIn(history), sums)
            }
            await history.ledger.close()
            assert.equal((await verdictOf(place.file)).flaw, undefined)
          } finally {
            await history.ledger.close()
            await place.remove()
          }
        }),
        numRuns(15 * engine.share),
      )
    })
  })
}

function usedIn({ ledger, clock }: History): ReadonlyMap<string, bigint> {
  const claims = meters.map((meter) => claimOf(meter, "1", "any"))
  const rooms = ledger.headroom(claims, ledgerTime(clock.nowMs()))
  return new Map(
    rooms.map(({ claim, used }) => [claim.meter, used.coefficient * 10n ** BigInt(3 - used.scale)]),
  )
}
