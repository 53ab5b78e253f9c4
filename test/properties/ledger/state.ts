import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { openLedgerOver } from "../../../src/vault/ledger/open-ledger.ts"
import type { Ledger } from "../../../src/vault/ledger/ledger.ts"
import type { Act, JournalRow } from "../../../src/vault/ledger/records/row.ts"
import type { Client, KeyEntry } from "../../../src/vault/ledger/records/bindings.ts"
import type { GrantAsk, Hold, HoldBinding } from "../../../src/vault/ledger/records/hold.ts"
import { Fault } from "../../../src/std/fault.ts"
import { ever } from "../../../src/vault/policy/terms.ts"
import { parseAddress } from "../../../src/venue/address.ts"
import { formatDecimal, parseDecimal } from "../../../src/venue/decimal.ts"
import { beginning, chained, Disk, type Entry } from "../../simulation/store/disk.ts"
import { addressOfSecret } from "../../support/key-pair.ts"
import { aClaim, hourMs } from "../../support/a-claim.ts"
import { fakeClock, ledgerTime, type FakeClock } from "../../support/fake-clock.ts"
import {
  openHold,
  otherSigner,
  plainAsk,
  requestEntry,
  reserve,
  signer,
} from "../../support/ledger-ask.ts"
import { inMemory, type FileEngine } from "../../support/ledger-engines.ts"
import { readLedger } from "../../support/read-ledger.ts"
import { numRuns } from "../../support/runs.ts"

const signers = [signer, otherSigner]
const small = fc.nat({ max: 2 })

/** What happens next, to a history at that moment. */
type Step = (history: History) => unknown

const act: fc.Arbitrary<Step> = fc.tuple(fc.nat(), small).map(
  ([which, of]): Step =>
    (all) =>
      all.act(acts(of)[which % acts(of).length]!),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(small, small).map(
      ([of, body]): Step =>
        (all) =>
          all.reserve(of, body),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(small, small).map(
      ([of, says]): Step =>
        (all) =>
          all.settle(of, says),
    ),
  },
  { weight: 3, arbitrary: act },
  {
    weight: 2,
    arbitrary: small.map(
      (of): Step =>
        (all) =>
          all.hold(of),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(small, small).map(
      ([of, says]): Step =>
        (all) =>
          all.decide(of, says),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.nat({ max: 900_000 }).map(
      (ms): Step =>
        (all) =>
          all.clock.pass(ms),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((all) => all.restart()) },
)

const outcomes = [
  { kind: "sent" },
  { kind: "refused", status: 400, code: "10001" },
  { kind: "accepted", status: 200, code: "0" },
] as const

const claims = [
  aClaim({ release: "refused" }),
  aClaim({ meter: "life", window: ever, amount: "0.3", max: "4" }),
]

/** One ledger, whatever engine keeps it. */
class History {
  readonly clock: FakeClock
  readonly #open: () => Promise<Ledger>
  #ledger: Ledger | undefined
  readonly #records: string[] = []

  constructor(clock: FakeClock, open: () => Promise<Ledger>) {
    this.clock = clock
    this.#open = open
  }

  get ledger(): Ledger {
    if (this.#ledger === undefined) throw new Error("not open")
    return this.#ledger
  }

  async restart(): Promise<void> {
    await this.close()
    this.#ledger = await this.#open()
    await this.#ledger.replaceMeters(() => claims, hourMs)
  }

  /** Does nothing where it is about a name that isn't there, or that is taken. */
  async act(entry: Act): Promise<void> {
    await this.ledger.act(entry, this.#nowMs()).catch((error: unknown) => {
      assert.ok(error instanceof Fault && /^name_(?:taken|unknown)$/.test(error.code))
    })
  }

  async hold(body: number): Promise<void> {
    await openHold(this.ledger, holdAsk(body, this.#nowMs()))
  }

  async decide(of: number, says: number): Promise<void> {
    const nowMs = this.#nowMs()
    const hold = this.ledger.holds(nowMs).filter(({ state }) => state === "pending")[of]
    if (hold === undefined) return
    const by = "operator"
    const word =
      says === 2
        ? ({ to: "granted", grant: grantOf(hold, nowMs) } as const)
        : ({ to: says === 0 ? "refused" : "released" } as const)
    await this.ledger.decideHold(hold.hold, { ...word, by }, nowMs)
  }

  async settle(of: number, says: number): Promise<void> {
    const record = this.#records.at(-1 - of)
    if (record !== undefined) await this.ledger.settle(record, outcomes[says]!, this.#nowMs())
  }

  async reserve(of: number, body: number): Promise<void> {
    const nowMs = this.#nowMs()
    const entry = { ...requestEntry, body: `{"n":${body}}` }
    const hold = this.ledger.findRelease(entry, nowMs)
    const grant = { binding: boundTo(entry), quantity: parseDecimal("0.4")! }
    const granted = this.ledger.findGrant(grant, nowMs)
    const released = hold === undefined ? undefined : { hold }
    const release = granted === undefined ? released : { hold: granted, grant }
    const answer = await reserve(this.ledger, {
      ...{ ...plainAsk, signer: signers[of % 2]!, entry, claims, release, nowMs },
    })
    if (answer.kind === "reserved") this.#records.push(answer.record)
  }

  #nowMs() {
    return ledgerTime(this.clock.nowMs())
  }

  async close(): Promise<void> {
    await this.#ledger?.close()
    this.#ledger = undefined
  }

  /** All that a decision depends on, besides files and keys in memory. */
  state() {
    const nowMs = this.#nowMs()
    return {
      ...this.ledger.bindings(),
      holds: this.ledger.holds(nowMs),
      grants: this.ledger.grants(),
      nonces: signers.map((each) => this.ledger.lastNonce(each)),
      // As text: ten times 0.3 is 3.0 live, and 3 where it was read.
      used: this.ledger.usage(nowMs).map((each) => ({ ...each, used: formatDecimal(each.used) })),
    }
  }
}

function holdAsk(body: number, nowMs: number) {
  const { client, key, operation, target } = requestEntry
  const asked = { client, key, operation, target, body: `{"n":${body}}` }
  return { ...asked, policy: "p", rule: "large", worst: "w", expires_at: nowMs + 600_000 }
}

function boundTo({ client, key, operation, target, body: like }: HoldBinding): GrantAsk["binding"] {
  return { client, key, operation, target, like, policy: "p", rule: "large", policy_hash: "00" }
}

/** For three requests like it, of which its quantity bears two. */
function grantOf(hold: Hold, nowMs: number) {
  const left = { times_left: 3, quantity_left: "1" }
  return { hold: hold.hold, ...boundTo(hold), until: nowMs + 1_200_000, ...left }
}

function acts(of: number): readonly Act[] {
  const name = `client-${of}`
  const freeze = { reason: `${of}`, by: "operator", cancels: of > 0, since: of }
  const price = { symbol_id: of, value: "2", as_of: of, by: "feed", confirmed: of > 0 }
  return [
    { act: "frozen", scope: "client", name, ...freeze },
    { act: "frozen", scope: "all", name: null, ...freeze },
    { act: "thawed", scope: "client", name },
    { act: "thawed", scope: "all", name: null },
    { act: "heartbeat_armed", client: name },
    { act: "heartbeat_missed", client: name },
    { act: "price_set", ...price },
    {
      act: "limit_raised",
      limit: name,
      to: "3",
      until: 1_780_000_000_000 + of * hourMs,
      reason: "r",
    },
    { act: "limit_raise_ended", limit: name },
    { act: "set_activated", hash: `0${of}`, files: [] },
    { act: "frozen", scope: "key", name: requestEntry.key, ...freeze },
    ...actsOfGuards(of),
    { act: "set_accepted", hash: name },
    ...actsOfKeys(of),
    ...actsOfClients(of),
  ]
}

function actsOfGuards(of: number): readonly Act[] {
  const account = addressOfSecret(new Uint8Array(32).fill(of + 1))
  const mark = { from: of, of: "1", at: "2" }
  const marks = { account, read_at: of, equity: "1.5", mapping: `${of}`, high: mark, days: {} }
  const guard = { guard: `p/g${of}`, account, bounds: "drawdown", since: of } as const
  return [
    { act: "account_marked", ...marks, hours: [mark] },
    { act: "account_marked", ...marks, hours: [], anchored: true, reason: "r" },
    { act: "guard_tripped", ...guard, until: null, max: null, froze: false, lost: "1" },
    { act: "guard_rearmed", ...guard, until: of, max: "3", froze: false, reason: "r" },
  ]
}

function actsOfKeys(of: number): readonly Act[] {
  const [name, next] = [`key-${of}`, `key-${(of + 1) % 3}`]
  const key: KeyEntry = {
    ...{ name, address: addresses[of]!, role: "agent" as const, wallet: null, targets: [] },
    ...{ network: "n", approval: "unknown" as const, expires_at: null },
  }
  return [
    { act: "key_added", key },
    { act: "key_added", key },
    { act: "agent_approved", name, expires_at: of, record: "r" },
    { act: "agent_approved", name, expires_at: 7, record: "r", wallet: addresses[0]! },
    { act: "agent_revoked", name, record: "r" },
    { act: "key_removed", name },
    { act: "key_targets_set", name, targets: addresses },
    { act: "key_replaced", from: name, to: next },
  ]
}

function actsOfClients(of: number): readonly Act[] {
  const name = `bot-${of}`
  const client: Client = {
    ...{ name, token_hash: "0x01", rights: [], allow_type_b: of > 0 },
    keys: ["key-0", "key-1"],
  }
  return [
    { act: "client_added", client },
    { act: "client_added", client },
    { act: "client_set", client },
    { act: "client_set", client: { ...client, idempotency_by: "client_order_id", expires_at: of } },
    { act: "client_token_set", name, token_hash: "0x02" },
    { act: "client_revoked", name },
  ]
}

const addresses = ["1", "2", "3"].map((digit) => parseAddress(`0x${digit.repeat(40)}`)!)

/** A disk of the simulator's on which these rows are. */
function diskOf(rows: readonly JournalRow[]): Disk {
  const disk = new Disk()
  const entries: Entry[] = []
  for (const row of rows) entries.push(chained(row, entries.at(-1) ?? beginning))
  if (entries.length > 0) disk.write({ entries, clock: undefined, steps: [] })
  return disk
}

/** Goes through a history, and holds what it is live against a restart and a replay by another engine. */
async function isSame(engine: FileEngine, steps: readonly Step[]): Promise<void> {
  const place = await engine.place()
  const clock = fakeClock()
  const history = new History(clock, () => openLedgerOver(place.openStore, { clock }))
  try {
    await history.restart()
    for (const one of steps) await one(history)
    const live = history.state()
    await history.restart()
    assert.deepEqual(history.state(), live, "after a restart")
    await history.close()

    const rows = readLedger(place.file).map(({ row }) => row as JournalRow)
    const { openStore } = inMemory(diskOf(rows))
    const replay = new History(clock, () => openLedgerOver(openStore, { clock }))
    try {
      await replay.restart()
      assert.deepEqual(replay.state(), live, "on a replay")
    } finally {
      await replay.close()
    }
  } finally {
    await history.close() // left open, it keeps the process of a failed test
    await place.remove()
  }
}

/** The state that this engine keeps, against that of another. */
export function holdState(engine: FileEngine): void {
  describe("the state of a ledger", () => {
    it("is the same live, after a restart, and on a replay of its rows by another engine, wherever it was cut", () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) =>
          isSame(engine, steps),
        ),
        numRuns(15 * engine.share),
      ))

    it("is so after many acts", () =>
      fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 60, maxLength: 90 }), (steps) =>
          isSame(engine, steps),
        ),
        numRuns(10 * engine.share),
      ))
  })
}
