import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readRow } from "../../../../../src/vault/ledger/records/read-row.ts"
import type { Act, JournalRow } from "../../../../../src/vault/ledger/records/row.ts"
import type { Address } from "../../../../../src/venue/address.ts"

const address = `0x${"11".repeat(20)}` as Address
const body = { ...{ client: "bot", key: "mm", operation: "placeOrder" as const }, body: "{}" }
const asked = { ...body, target: null, path: "/order", policy_hash: "00", signer: address }
const key = {
  ...{ name: "mm", address, role: "agent" as const, wallet: "main", targets: [address] },
  ...{ network: "testnet", approval: "approved" as const, expires_at: null },
}
const client = {
  ...{ name: "bot", token_hash: null, keys: ["mm"] as [string], rights: [], allow_type_b: false },
}
const drift = { ...{ anchor: "1", anchor_at: 1, allowance: "10" }, held: null }

const mark = { from: 1, of: "1", at: "1.5" }
const guardState = { guard: "p/g", account: address, bounds: "loss", since: 1 } as const

type Fields = Readonly<Record<string, unknown>>
type FieldsOf<Name, One = Act> = One extends Act
  ? Name extends One["act"]
    ? Omit<One, "act">
    : never
  : never

/** One of each, with all that it may have. */
const acts: { readonly [Name in Act["act"]]: FieldsOf<Name> } = {
  started: { policy_hash: "00" },
  asked: { method: "freeze", by: "root" },
  key_added: { key },
  key_exported: { name: "mm" },
  key_removed: { name: "mm" },
  key_targets_set: { name: "mm", targets: [address] },
  key_replaced: { from: "mm", to: "mm2" },
  client_added: { client: { ...client, idempotency_by: "client_order_id", expires_at: 1 } },
  client_set: { client },
  client_token_set: { name: "bot", token_hash: "00" },
  client_revoked: { name: "bot" },
  locked: { by: "operator" },
  unlocked: {},
  frozen: { scope: "all", name: null, reason: "r", by: "operator", cancels: true, since: 1 },
  thawed: { scope: "client", name: "bot" },
  heartbeat_armed: { client: "bot" },
  heartbeat_missed: { client: "bot" },
  agent_approved: { name: "mm", expires_at: 1, record: "rec_1", wallet: address },
  agent_revoked: { name: "mm", record: "rec_1" },
  hold_opened: {
    ...{ hold: "hold_1", ...body, target: address, body_hash: "00", policy: "p", rule: "r" },
    ...{ worst: "w", expires_at: 1 },
  },
  hold_released: { hold: "hold_1", by: "operator" },
  hold_refused: { hold: "hold_1", by: "operator" },
  hold_granted: {
    ...{ hold: "hold_1", client: "bot", key: "mm", operation: "placeOrder", target: address },
    ...{ like: "{}", policy: "p", rule: "r", policy_hash: "00", until: 1 },
    ...{ times_left: 1, quantity_left: "0.5", by: "operator" },
  },
  grant_ended: { hold: "hold_1", by: "operator" },
  price_set: {
    ...{ symbol_id: 1, value: "64000.5", as_of: 1, by: "feed", confirmed: true },
    drift: { ...drift, held: { value: "1", by: "feed", at: 1 } },
  },
  limit_raised: { limit: "daily", to: "1.5", until: 1, reason: "r" },
  limit_raise_ended: { limit: "daily" },
  account_marked: {
    ...{ account: address, read_at: 1, equity: "1", mapping: "00", high: mark },
    ...{ days: { UTC: mark }, hours: [mark], deposit: "1", anchored: true, reason: "r" },
  },
  guard_tripped: { ...guardState, until: null, max: null, froze: true, lost: "1" },
  guard_rearmed: { ...guardState, until: 1, max: "2", froze: false, reason: "r" },
  set_activated: { hash: "00", files: [{ name: "a.yaml", text: "" }] },
  set_accepted: { hash: "00" },
  // Never another host's: refused below.
  archived: {
    ...{ file: "f", sha256: "00", first_seq: 1, last_seq: 1, last_hash: "00" },
    ...{ from_ms: 1, to_ms: 1 },
  },
  backed_up: { head_seq: 1, head_hash: "00" },
  restore_accepted: { ledger: "ab".repeat(16), signers: [{ signer: address, nonce: 1 }] },
  clock_accepted: {},
}

const others: Readonly<Record<Exclude<JournalRow["kind"], "act">, Fields>> = {
  request: {
    ...{ ...asked, rule: "r", purpose: "forward", nonce: 1, expires_after: 1, release: "hold_1" },
    ...{
      sizes: [{ entry: "1.5", legs: [null, "2"], cost: "0.5" }],
      ever: { life: "0.1" },
      grant: { hold: "hold_1", times_left: 1, quantity_left: "0.5" },
      counted_at: 1,
    },
    refunds: [
      { meter: "m", amount: "1", max: "2", window: { kind: "rolling", length_ms: 1 } },
      { meter: "m", amount: "1", max: "2", window: { kind: "day", start_ms: 1, end_ms: 2 } },
    ],
    ...{ client_order_id: "c", traceparent: "00-1", isolated: true },
    idempotency: { by: "header", key: "k", binding: "00", replaces: "rec_0" },
  },
  shadow: asked,
  refusal: {
    ...{ client: "bot", key: null, operation: null, policy_hash: "00" },
    refusal: { code: "frozen" },
  },
  repeats: { record: "rec_1", count: 1 },
  omitted: { count: 1 },
  outcome: {
    ...{ record: "rec_1", outcome: "accepted", status: 200, code: null, counted_at: 1 },
    answer: { body: "{}", type: "application/json", encoding: "gzip" },
  },
  checkpoint: { head_seq: 1, head_hash: "00", public_key: "00", signature: "00" },
}

const { archived, ...followed } = acts
const rows: readonly Fields[] = [
  ...Object.entries(followed).map(([act, fields]) => ({ kind: "act", act, ...fields })),
  ...Object.entries(others).map(([kind, fields]) => ({ kind, ...fields })),
].map((row) => ({ id: "rec_1", at_ms: 1, seq: 7, ...row }))

/** Of these nothing follows, or they may be left out. */
const free = new Set(
  `seq started.policy_hash sizes cost ever refunds counted_at client_order_id release grant traceparent isolated
   idempotency answer drift files wallet deposit anchored account_marked.reason`.split(/\s+/),
)
const read = (row: unknown) => readRow(JSON.stringify(row))
const nameOf = (row: Fields) => String(row["act"] ?? row["kind"])

describe("a row of another host", () => {
  it("is read as it was written, of each kind and act", () => {
    for (const row of rows) assert.deepEqual(read(row), row)
  })

  it("may lack what older versions didn't write, and have what a later one adds", () => {
    const price = rows.find((row) => nameOf(row) === "price_set")!
    for (const left of [undefined, null, { ...drift, held: null }])
      assert.ok(read({ ...price, drift: left, later: true }))
  })

  for (const row of rows) {
    const name = nameOf(row)
    const bound = Object.keys(row).filter(
      (field) => !free.has(field) && !free.has(`${name}.${field}`),
    )

    it(`isn't read where anything is missing or of another shape: ${name}`, () => {
      for (const field of bound) {
        const { [field]: was, ...rest } = row
        assert.throws(() => read(rest), new RegExp(field === "kind" ? "" : field), `no ${field}`)
        // A list of lists is nowhere what is meant.
        assert.throws(() => read({ ...row, [field]: [[was]] }), field)
      }
    })
  }

  it("isn't read where it is of a kind or an act that this version doesn't know, or of one host's alone", () => {
    const act = { kind: "act", id: "rec_1", at_ms: 1 }
    for (const row of [
      { ...act, kind: "later" },
      { ...act, kind: "constructor" },
      { ...act, act: "later" },
      { ...act, act: "toString" },
      { ...act, act: "archived", ...archived },
      [],
      null,
    ])
      assert.throws(() => read(row), JSON.stringify(row))
    assert.throws(() => readRow("{"), /JSON/)
  })

  it("isn't read where a number isn't one that is exact, or an amount isn't a decimal", () => {
    const request = rows.find((row) => nameOf(row) === "request")!
    assert.ok(read({ ...request, nonce: Number.MAX_SAFE_INTEGER }))
    for (const nonce of [-1, 0.5, 2 ** 53, "1", null])
      assert.throws(() => read({ ...request, nonce }), /nonce/)
    for (const amount of ["", "-1", "1e9", "0x1", ".5", " 1", "1.", 1])
      assert.throws(() => read({ ...request, ever: { life: amount } }), /life/)
    for (const signer of ["", "0x", `0x${"ab".repeat(20)}`, address.slice(0, -1)])
      assert.throws(() => read({ ...request, signer }), /signer/)
  })
})
