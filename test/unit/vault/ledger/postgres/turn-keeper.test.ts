// What a host makes of what it is told of turns. With a real PostgreSQL: test/system/postgres-fleet.test.ts.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate as turnEnded } from "node:timers/promises"

import { sealBatch, type Batch } from "../../../../../src/vault/ledger/postgres/batch.ts"
import type { Rows, Session, Statement } from "../../../../../src/vault/ledger/postgres/session.ts"
import { maxSkewMs, TurnKeeper } from "../../../../../src/vault/ledger/postgres/turn-keeper.ts"
import { maxBehind, quietMs } from "../../../../../src/vault/ledger/postgres/server-sql.ts"
import { chainHash } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import type { Head } from "../../../../../src/vault/ledger/store/store.ts"
import { newLedgerKey } from "../../../../support/new-ledger-key.ts"

const name = "ab".repeat(16)
const beginning: Head = { seq: 0, hash: new Uint8Array(32) }
const [keyOfA, keyOfB] = [newLedgerKey(), newLedgerKey()]
const hosts = new Map([
  ["a", keyOfA.publicKey],
  ["b", keyOfB.publicKey],
])

/** What a server says of itself; a test may have it lie. */
class FakeServer {
  readonly batches: Batch[] = []
  readonly asked: Statement[] = []
  outcomes = ["taken"]
  quietMs = "0"
  nowMs = () => String(Date.now())
  standbys = "FIRST 1 (b)"
  standbysAfter: string | undefined
  head: Head | undefined
  addsNothing = false
  pageBatches = maxBehind
  isTurnWanted = false
  /** What it runs begins only then. */
  ready: Promise<unknown> = Promise.resolve()

  add(row: string, host = "b", key = keyOfB): void {
    const { seq, hash } = this.lastHead()
    const head = { seq: seq + 1, hash: chainHash(hash, row) }
    this.batches.push(sealBatch({ firstSeq: seq + 1, head, host, rows: [row] }, name, key))
  }

  lastHead(): Head {
    return this.batches.at(-1)?.head ?? beginning
  }

  readonly session: Session = {
    ended: new Promise(() => undefined),
    run: async (...statements) => {
      await this.ready
      this.asked.push(...statements)
      return statements.map((each) => this.#answer(each))
    },
    end: () => undefined,
  }

  #answer({ text, values }: Statement): Rows {
    const found = this.#answers.find(([part]) => text.includes(part))
    return found?.[1](values) ?? []
  }

  /** By what a statement has in it. */
  readonly #answers: readonly (readonly [string, (values: Statement["values"]) => Rows])[] = [
    ["take_turn", () => [this.#turn()]],
    ["FROM batches", ([known]) => this.#page(Number(known))],
    ["append_batch", () => (this.addsNothing ? [] : [[this.standbys]])],
    ["FROM turns", () => [[this.#after(), this.isTurnWanted ? "t" : "f"]]],
    ["SELECT seq", () => [this.#headRow()]],
    ["RETURNING", () => [[this.standbys]]],
    ["SHOW", () => [[this.#after()]]],
  ]

  #after(): string {
    return this.standbysAfter ?? this.standbys
  }

  #turn() {
    const outcome = this.outcomes.length > 1 ? this.outcomes.shift()! : this.outcomes[0]!
    if (outcome === "late") return [outcome, "0", "0", this.standbys]
    return [outcome, this.quietMs, this.nowMs(), this.standbys]
  }

  #headRow() {
    const { seq, hash } = this.head ?? this.lastHead()
    return [String(seq), Buffer.from(hash).toString("hex")]
  }

  #page(known: number): Rows {
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
    return this.batches
      .filter(({ head }) => head.seq > known)
      .slice(0, this.pageBatches)
      .map(({ firstSeq, head, host, rows, seal }) => [
        ...[String(firstSeq), String(head.seq), hex(head.hash)],
        ...[host, rows.join("\n"), hex(seal)],
      ])
  }
}

/** One of which nothing follows. */
function rowOf(id: number): string {
  return JSON.stringify({ kind: "omitted", id: String(id), at_ms: 1, count: 1 })
}

function opened(server = new FakeServer(), ofHosts = hosts) {
  const reached = {
    session: server.session,
    ledger: {
      ...{ name, head: beginning, standbys: [server.standbys] },
      ...{ nowMs: Date.now(), hasAppend: true },
    },
  }
  const ask = { host: "a", hosts: ofHosts, replicas: 1, key: keyOfA, head: beginning }
  const latestMs = () => 1_000
  const turns = new TurnKeeper(reached, { ...ask, latestMs, commitTimeoutMs: 2_000 })
  const followed: string[] = []
  const take = () => turns.take(({ rows }) => void followed.push(...rows.map(({ id }) => id)))
  return { server, turns, followed, take }
}

const unavailable = { name: "Fault", code: "ledger_unavailable" }
const unusable = { name: "Fault", code: "ledger_unusable" }

describe("taking a turn", () => {
  it("follows what others appended, in its order, and each once", async () => {
    const { server, followed, take } = opened()
    server.add(rowOf(1))
    server.add(rowOf(2))
    await take()
    server.add(rowOf(3))
    await take()
    await take()
    assert.deepEqual(followed, ["1", "2", "3"])
  })

  it("follows page by page what is too large for one, and has the turn then", async () => {
    const { server, followed, take } = opened()
    for (let count = 0; count < 5; count += 1) server.add(rowOf(count))
    server.pageBatches = 2
    await take()
    assert.equal(followed.length, 5)
  })

  for (const [what, batches, ending] of [
    ["follows for as long as it comes nearer", 200, undefined],
    ["ends where it is told that it is behind, and nothing to follow", 0, /its turn in 10 s/],
  ] as const) {
    it(what, async (t) => {
      const { server, followed, take } = opened()
      for (let count = 0; count < batches; count += 1) server.add(rowOf(count))
      server.outcomes = ["behind", "behind", "behind", "taken"]
      let nowMs = 0
      t.mock.method(performance, "now", () => nowMs)
      server.nowMs = () => {
        nowMs += 6_000
        return String(Date.now())
      }
      if (ending === undefined) await take()
      else await assert.rejects(take(), { ...unavailable, message: ending })
      assert.equal(followed.length, batches)
    })
  }

  it("goes on asking where it comes late or is far behind, and follows what it is given meanwhile", async () => {
    const { server, followed, take } = opened()
    for (let count = 0; count < maxBehind + 10; count += 1) server.add(rowOf(count))
    server.outcomes = ["late", "late", "behind", "taken"]
    await take()
    assert.equal(followed.length, maxBehind + 10)
  })

  for (const [what, offsetMs] of [
    ["ahead", maxSkewMs + 200],
    ["behind", -maxSkewMs - 200],
  ] as const) {
    it(`isn't had where the server's clock is too far ${what}`, async () => {
      const { server, followed, take } = opened()
      server.add(rowOf(1))
      server.nowMs = () => String(Date.now() + offsetMs)
      await assert.rejects(take(), { ...unavailable, message: /clock/ })
      assert.deepEqual(followed, [])
    })
  }

  for (const offsetMs of [maxSkewMs - 200, -maxSkewMs + 200]) {
    it(`is had where the server's clock is ${offsetMs} ms ahead`, async () => {
      const { server, take } = opened()
      server.nowMs = () => String(Date.now() + offsetMs)
      await take()
    })
  }

  it("takes the time that the server's answer took for no difference of clocks", async () => {
    const { server, take } = opened()
    const saidMs = String(Date.now())
    server.nowMs = () => saidMs
    server.ready = new Promise((resolve) => setTimeout(resolve, maxSkewMs + 300))
    await take()
  })

  it("ends where another session has this host's own name", async () => {
    const { server, followed, take } = opened()
    server.add(rowOf(1), "a", keyOfA)
    await assert.rejects(take(), { ...unavailable, message: /Another Countersign/ })
    assert.deepEqual(followed, [])
  })

  it("ends where the last entry is said to be another than what came", async () => {
    const hash = Buffer.alloc(32, 1)
    for (const head of [beginning, { seq: 1, hash }, { seq: 2, hash: beginning.hash }]) {
      const { server, take } = opened()
      server.add(rowOf(1))
      server.head = head
      await assert.rejects(take(), unusable)
    }
  })

  it("ends where the newest entries are hidden, at the next append at the latest", async () => {
    const { server, turns, take } = opened()
    await take()
    server.addsNothing = true
    const appended = turns.append({ rows: ["{}"], head: { seq: 1, hash: Buffer.alloc(32) } })
    await assert.rejects(appended, { ...unavailable, message: /Another Countersign/ })
  })

  it("follows nothing that isn't sealed by the host that it is of", async () => {
    for (const [host, key] of [
      ["b", keyOfA],
      ["c", keyOfB],
    ] as const) {
      const { server, followed, take } = opened()
      server.add(rowOf(1), host, key)
      await assert.rejects(take(), unusable)
      assert.deepEqual(followed, [])
    }
  })

  it("follows a batch once: replayed, it isn't what comes next", async () => {
    const { server, followed, take } = opened()
    server.add(rowOf(1))
    await take()
    const [first] = server.batches
    server.batches.push({ ...first!, head: { ...first!.head, seq: 2 } })
    await assert.rejects(take(), unusable)
    assert.deepEqual(followed, ["1"])
  })

  it("follows nothing where a commit waits for too few standbys, before or after it", async () => {
    for (const [standbys, after] of [
      ["", "FIRST 1 (b)"],
      ["FIRST 1 (b)", ""],
    ] as const) {
      const { server, followed, take } = opened()
      server.add(rowOf(1))
      Object.assign(server, { standbys, standbysAfter: after })
      await assert.rejects(take(), { ...unavailable, message: /standbys/ })
      assert.deepEqual(followed, [])
    }
  })
})

describe("appending in a turn", () => {
  const row = "{}"
  const next = { rows: [row], head: { seq: 1, hash: chainHash(beginning.hash, row) } }

  it("tells where a commit hears that another host waits", async () => {
    const { server, turns, take } = opened()
    let wanted = 0
    turns.onWanted(() => (wanted += 1))
    await take()
    await turns.append(next)
    assert.equal(wanted, 0)
    server.isTurnWanted = true
    const hash = chainHash(next.head.hash, row)
    await turns.append({ rows: [row], head: { seq: 2, hash } })
    assert.equal(wanted, 1)
  })

  it("asks for the standbys after a commit of one host's ledger, and not who waits", async () => {
    const { server, turns } = opened(new FakeServer(), new Map([["a", keyOfA.publicKey]]))
    await turns.append(next)
    assert.ok(!server.asked.some(({ text }) => text.includes("FROM turns")))
    server.standbysAfter = ""
    const hash = chainHash(next.head.hash, row)
    await assert.rejects(turns.append({ rows: [row], head: { seq: 2, hash } }), unavailable)
  })

  it("appends nothing that doesn't come next here", async () => {
    const { server, turns, take } = opened()
    server.add(rowOf(1))
    await take()
    await assert.rejects(turns.append(next), unavailable)
    assert.ok(!server.asked.some(({ text }) => text.includes("INSERT")))
  })

  it("confirms by a commit that begins after it was asked for, for all who ask meanwhile", async () => {
    const { server, turns } = opened()
    const commits = () => server.asked.filter(({ text }) => text.includes("RETURNING")).length
    await turns.confirm()
    assert.equal(commits(), 1)
    let begin: (value?: unknown) => void = () => undefined
    server.ready = new Promise((resolve) => (begin = resolve))
    const first = turns.confirm()
    await turnEnded()
    const others = [turns.confirm(), turns.confirm()]
    begin()
    await Promise.all([first, ...others])
    assert.equal(commits(), 3)
  })

  it("confirms nothing where too few standbys have it", async () => {
    const { server, turns } = opened()
    server.standbysAfter = ""
    await assert.rejects(turns.confirm(), unavailable)
  })
})

describe("giving a turn on", () => {
  const row = "{}"
  const next = { rows: [row], head: { seq: 1, hash: chainHash(beginning.hash, row) } }
  const isSettled = ({ asked }: FakeServer): boolean =>
    asked.some(({ text }) => text.includes("holder = ''"))

  it("says that nothing is held back", async () => {
    const { server, turns, take } = opened()
    await take()
    await turns.append(next)
    await turns.close()
    assert.ok(isSettled(server))
  })

  const steps: Readonly<Record<string, (turns: TurnKeeper) => Promise<void>>> = {
    take: (turns) => turns.take(() => undefined),
    append: (turns) => turns.append(next),
    confirm: (turns) => turns.confirm(),
  }
  for (const [what, step] of Object.entries(steps)) {
    it(`isn't done where too few standbys may have what is there, as ${what} hears`, async () => {
      const { server, turns } = opened()
      server.standbysAfter = ""
      await assert.rejects(step(turns), { ...unavailable, message: /standbys/ })
      await assert.rejects(turns.give(), { ...unavailable, message: /standbys/ })
      await turns.close()
      assert.ok(!isSettled(server))
    })
  }
})

describe("the quiet after what broke off", () => {
  const untilQuiet = async (turns: TurnKeeper): Promise<number> => {
    const sinceMs = performance.now()
    await turns.quiet()
    return performance.now() - sinceMs
  }

  it("is waited for once after a start: nobody knows what broke off before", async () => {
    const { take, turns } = opened()
    await take()
    assert.ok((await untilQuiet(turns)) > quietMs - 100)
    const sinceMs = performance.now()
    await turns.quiet()
    assert.ok(performance.now() - sinceMs < quietMs)
  })

  it("is never longer than a session can take, whatever the server says", async () => {
    for (const said of ["60000", "999999999999999"]) {
      const { server, turns, take } = opened()
      server.quietMs = said
      await take()
      const tookMs = await untilQuiet(turns)
      assert.ok(tookMs > quietMs - 100 && tookMs < 3 * quietMs, `${tookMs} ms`)
    }
  })
})
