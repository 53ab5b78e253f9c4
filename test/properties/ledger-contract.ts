import assert from "node:assert/strict"

import { bindingsOf } from "../../src/vault/ledger/bindings.ts"
import { isRequest } from "../../src/vault/ledger/found-records.ts"
import { makeRecordId } from "../../src/vault/ledger/records/record-id.ts"
import type {
  Act,
  ActRow,
  OutcomeRow,
  RequestRow,
  ShadowRow,
} from "../../src/vault/ledger/records/row.ts"
import { nothingStands } from "../../src/vault/ledger/records/standing.ts"
import type { LedgerStore, OpenedState } from "../../src/vault/ledger/store/store.ts"
import { startMs } from "../support/fake-clock.ts"
import { requestEntry, signer } from "../support/ledger-ask.ts"
import { countedAt } from "../../src/vault/ledger/records/request-row.ts"

/** A store that can be closed and opened again. */
export type Reopened = {
  readonly store: LedgerStore
  readonly state: OpenedState
  readonly reopen: () => Promise<Reopened>
}

/** What an engine does to which nobody else appends. */
export const aloneContract: typeof contract = {
  "runs a turn without keys within the call": async ({ store }) => {
    let ran = false
    const turn = store.turn([], () => (ran = true))
    assert.ok(ran)
    await turn
  },
}

/** What any engine of the ledger does, a sentence for each case. */
export const contract: Readonly<Record<string, (opened: Reopened) => Promise<void>>> = {
  "begins empty, with a name of its own": async ({ store, state }) => {
    assert.match(state.identity.ledger, /^[0-9a-f]{32}$/)
    assert.deepEqual([state.standing, state.holds], [nothingStands, []])
    assert.equal(store.head().seq, 0)
    assert.equal(await store.run("count"), 0)
  },
  "numbers rows in the order in which they were appended, and tells its head once they are durable":
    async ({ store }) => {
      const before = store.head()
      const both = [store.append(request(1)), store.append(request(2))]
      assert.equal(store.head(), before)
      await Promise.all(both)
      assert.equal(store.head().seq, 2)
      const history = await store.run("history", beginning, 2)
      assert.deepEqual(
        history.map(({ seq, row }) => [seq, row.nonce]),
        [
          [1, 1],
          [2, 2],
        ],
      )
    },
  "chains each row to the one before it": async ({ store }) => {
    await store.append(request(1))
    const first = store.head()
    await store.append(request(2))
    assert.equal(first.hash.length, 32)
    assert.notDeepEqual(store.head().hash, first.hash)
  },
  "tells a turn which request has its keys, of all that was appended before": async ({ store }) => {
    const first = request(1, { key: "k-1" })
    void store.append(first)
    const found = await store.turn([keyOf("k-1"), keyOf("k-2")], (turn) => [
      turn.found(keyOf("k-1"))?.row.id,
      turn.found(keyOf("k-2"))?.row.id,
    ])
    assert.deepEqual(found, [first.id, undefined])
  },
  "tells the last request that has a key, where it replaced another": async ({ store }) => {
    const first = request(1, { key: "k-1" })
    const second = request(2, { key: "k-1", replaces: first.id })
    await Promise.all([store.append(first), store.append(second)])
    const found = await store.turn([keyOf("k-1")], (turn) => turn.found(keyOf("k-1"))?.row.id)
    assert.equal(found, second.id)
  },
  "tells the check that a key names, of all that was appended before, until a request has the key":
    async ({ store }) => {
      const check = shadow()
      const key = { ...keyOf(check.id), by: "check" } as const
      const none = { ...key, key: makeRecordId(startMs) }
      const found = () =>
        store.turn([key, none, keyOf(check.id)], (turn) => [
          turn.found(key)?.row.id,
          turn.found(none),
          turn.found(keyOf(check.id)),
        ])
      void store.append(check)
      assert.deepEqual(await found(), [check.id, undefined, undefined])
      const by = { by: "check", key: check.id, binding: "b" } as const
      const used = { ...request(1), idempotency: by }
      void store.append(used)
      assert.deepEqual(await found(), [used.id, undefined, undefined])
    },
  "tells a check after it is opened again": async (first) => {
    const check = shadow()
    await first.store.append(check)
    const { store } = await first.reopen()
    const key = { ...keyOf(check.id), by: "check" } as const
    assert.deepEqual(await store.turn([key], (turn) => turn.found(key)?.row.id), check.id)
  },
  "writes nothing of a request that it doesn't have": async ({ store }) => {
    const written = await store.append(outcome("rec_0", "sent"))
    assert.deepEqual(written, { kind: "unknown_request" })
    assert.equal(await store.run("count"), 0)
  },
  "tells once that the refusal of its only send gives a request's room back": async ({ store }) => {
    const row = request(1, { refunds: true })
    await store.append(row)
    const told = []
    for (const heard of ["sent", "refused", "refused"] as const) {
      const written = await store.append(outcome(row.id, heard))
      told.push(written.kind === "written" ? written.released?.id : written.kind)
    }
    assert.deepEqual(told, [undefined, row.id, undefined])
  },
  "gives no room back after a second send": async ({ store }) => {
    const row = request(1, { refunds: true })
    await store.append(row)
    for (const heard of ["sent", "sent", "refused"] as const) {
      const written = await store.append(outcome(row.id, heard))
      assert.deepEqual(written, { kind: "written", released: undefined })
    }
  },
  "finds a request by its id, with what was heard of it": async ({ store }) => {
    const row = request(1)
    await Promise.all([store.append(row), store.append(outcome(row.id, "sent"))])
    const found = await store.run("find", row.id)
    assert.ok(isRequest(found))
    assert.deepEqual([found.row.id, found.heard], [row.id, "sent"])
    assert.equal(await store.run("find", "rec_0"), undefined)
  },
  "gives history in the order of counting, up to a line": async ({ store }) => {
    const rows = [request(1, { countedAt: startMs + 9 }), request(2), request(3)]
    await Promise.all(rows.map((row) => store.append(row)))
    const nonces = async (lastSeq: number): Promise<readonly number[]> => {
      const all = []
      for (let after = beginning; ;) {
        const page = await store.run("history", after, lastSeq)
        all.push(...page.map(({ row }) => row.nonce))
        const last = page.at(-1)
        if (last === undefined) return all
        after = { countedAtMs: countedAt(last.row), seq: last.seq }
      }
    }
    assert.deepEqual(await nonces(3), [2, 3, 1])
    assert.deepEqual(await nonces(2), [2, 1])
  },
  "begins with what its acts have made, when it is opened again": async (first) => {
    const acts: readonly Act[] = [
      { act: "frozen", scope: "client", name: "a", ...freeze },
      { act: "frozen", scope: "all", name: null, ...freeze },
      { act: "thawed", scope: "client", name: "a" },
      { act: "heartbeat_armed", client: "a" },
      { act: "set_accepted", hash: "h" },
    ]
    for (const entry of acts)
      await first.store.append({ kind: "act", id: makeRecordId(startMs), at_ms: startMs, ...entry })
    await first.store.append(request(7))
    await first.store.append(opened)
    const { state } = await first.reopen()
    const { freezes, armed, acceptedHash } = bindingsOf(state.standing)
    assert.deepEqual(
      freezes.map(({ scope }) => scope),
      ["all"],
    )
    assert.deepEqual(armed, ["a"])
    assert.equal(acceptedHash, "h")
    assert.deepEqual([...state.lastNonces], [[signer, 7]])
    assert.deepEqual(
      state.holds.map(({ hold, state: its }) => [hold, its]),
      [[opened.hold, "pending"]],
    )
    assert.equal(state.identity.head.seq, acts.length + 2)
  },
  "begins with the last sum that its requests told of what counts for ever": async (first) => {
    await first.store.append({ ...request(1), ever: { life: "0.1", other: "7" } })
    await first.store.append({ ...request(2), ever: { life: "0.30" } })
    await first.store.append(request(3))
    const { state } = await first.reopen()
    assert.deepEqual(
      new Map(state.ever.map(({ meter, used }) => [meter, used])),
      new Map([
        ["life", "0.30"],
        ["other", "7"],
      ]),
    )
  },
  "refuses all once it is closed": async ({ store }) => {
    await store.append(request(1))
    assert.equal(await store.close(), "whole")
    assert.throws(() => store.assertOpen(), unavailable)
    await assert.rejects(store.append(request(2)), unavailable)
    await assert.rejects(store.run("count"), unavailable)
  },
}

const unavailable = { name: "Fault", code: "ledger_unavailable" }
const beginning: { readonly countedAtMs: number; readonly seq: number } = { countedAtMs: 0, seq: 0 }
const freeze = { reason: "r", by: "operator", cancels: true, since: startMs }

const opened: ActRow & { readonly act: "hold_opened" } = {
  ...{ kind: "act", id: makeRecordId(startMs), at_ms: startMs, act: "hold_opened", hold: "hold_1" },
  ...{ client: "a", key: "k", operation: "placeOrder", target: null, body: "{}", body_hash: "00" },
  ...{ policy: "p", rule: "r", worst: "w", expires_at: startMs + 1_000 },
}

export function keyOf(key: string) {
  return { client: requestEntry.client, by: "header", key } as const
}

type RequestAsk = {
  readonly key?: string
  readonly replaces?: string
  readonly refunds?: boolean
  readonly countedAt?: number
}

/** A request with this nonce, as it is journaled. */
export function request(
  nonce: number,
  { key, replaces, refunds, countedAt }: RequestAsk = {},
): RequestRow {
  const { policy_hash: policyHash, ...entry } = requestEntry
  const window = { kind: "rolling", length_ms: 60_000 } as const
  return {
    ...{ kind: "request", id: makeRecordId(startMs), at_ms: startMs },
    ...entry,
    ...{ policy_hash: policyHash, signer, nonce, expires_after: startMs + 15_000 },
    ...(refunds && { refunds: [{ meter: "m", amount: "1", max: "10", window }] }),
    ...(countedAt !== undefined && { counted_at: countedAt }),
    ...(key !== undefined && {
      idempotency: { by: "header", key, binding: "b", ...(replaces !== undefined && { replaces }) },
    }),
  }
}

function shadow(): ShadowRow {
  const { client, key, operation, path, target, body, policy_hash } = requestEntry
  const entry = { client, key, operation, path, target, body, policy_hash }
  return { kind: "shadow", id: makeRecordId(startMs), at_ms: startMs, ...entry, signer }
}

function outcome(record: string, heard: OutcomeRow["outcome"]): OutcomeRow {
  const rest = { outcome: heard, status: null, code: null }
  return { kind: "outcome", id: makeRecordId(startMs), at_ms: startMs, record, ...rest }
}
