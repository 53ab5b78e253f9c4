import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

import { verdictOf } from "./audit-ledger.ts"
import { copyLedger } from "./crash-image.ts"
import type { FleetAsk } from "./crash-fleet.ts"
import { cap, unitPrice } from "./crash-site.ts"
import { readLedger, type JournalEntry } from "./read-ledger.ts"
import { assertSigned, readSignedBody } from "./signed-body.ts"

/** A signed body that left the vault. */
export type HeldSignature = {
  readonly path: string
  readonly body: string
  /** Known where it came as an answer, not where the venue received it. */
  readonly record?: string
  readonly idempotencyKey?: string | undefined
}

/**
 * Stands outside of vault and gate and keeps every signature that left them, to hold them against the
 * ledger. It believes none of their words.
 */
export type OutsideChecker = {
  /** Keeps an answer. @throws when another body was signed for its idempotency key. */
  hold(signature: HeldSignature): void
  /** Keeps what the venue received. */
  receive(signature: Pick<HeldSignature, "path" | "body">): void
  /** Recovers the signers of what came since the last time. @throws when one isn't the body's own. */
  recoverSigners(): void
  /**
   * Holds what was kept, all or the `first` of it, against the ledger of a vault that isn't running.
   *
   * @throws at what doesn't fit.
   */
  checkLedger(file: string, first?: number): Promise<CheckedLedger>
  /** How many different ones it keeps. */
  signatures(): number
  /** The highest nonce of a signer among the `first` of them; 0 without any. */
  lastNonce(signer: string, first: number): number
}

export type CheckedLedger = {
  readonly records: number
  /** Requests whose signature nobody ever got. */
  readonly withoutSignature: number
  /** Symbols of which not one order more is allowed. */
  readonly spentSymbols: number
  /** Most requests for an address within a minute, but for those of hosts by themselves. */
  readonly mostInMinute: number
  /** Requests that hosts signed by themselves. */
  readonly isolated: number
}

type Kept = HeldSignature & { receivedTimes: number }

/** Starts with nothing but the addresses of all keys, and whether hosts may sign cancels by themselves. */
export function createOutsideChecker(
  signers: readonly string[],
  isolates?: FleetAsk["isolates"],
): OutsideChecker {
  const known = new Set(signers.map((signer) => signer.toLowerCase()))
  const kept = new Map<string, Kept>()
  const bodyByKey = new Map<string, string>()
  const unrecovered: HeldSignature[] = []

  function keep(signature: HeldSignature): Kept {
    const earlier = kept.get(signature.body)
    if (earlier !== undefined && (earlier.record !== undefined || signature.record === undefined)) {
      return earlier
    }
    if (earlier === undefined) unrecovered.push(signature)
    const now = { ...signature, receivedTimes: earlier?.receivedTimes ?? 0 }
    kept.set(signature.body, now)
    return now
  }

  return {
    hold(signature) {
      keep(signature)
      const { idempotencyKey, body } = signature
      if (idempotencyKey === undefined) return
      // Hosts that can't reach each other don't know of each other's keys.
      const key = `${idempotencyKey}${isolates ? ` ${shareOf(body)}` : ""}`
      assert.equal(body, bodyByKey.get(key) ?? body, `two signatures for the key ${key}`)
      bodyByKey.set(key, body)
    },
    receive(signature) {
      keep(signature).receivedTimes += 1
    },
    recoverSigners() {
      for (const { path, body } of unrecovered.splice(0)) {
        assert.ok(known.has(assertSigned(path, body)), "signed by a key that isn't here")
      }
    },
    async checkLedger(file, first = kept.size) {
      const requests = await readRequests(file)
      const byNonce = assertNoncesOnce(requests)
      assertKeysOnce(requests)
      const spentSymbols = assertCaps(requests)
      const records = firstOf(kept, first).map((one) => assertRecorded(one, byNonce))
      const signed = new Set(records)
      assert.equal(signed.size, records.length, "two signatures for one record")
      return {
        records: requests.length,
        withoutSignature: requests.length - signed.size,
        spentSymbols,
        mostInMinute: assertAddressBudgets(requests),
        isolated: assertOnlyCancels(requests.filter(({ isolated }) => isolated === true)),
      }
    },
    signatures: () => kept.size,
    lastNonce(signer, first) {
      const said = firstOf(kept, first).map(({ body }) => readSignedBody(body))
      const own = said.filter((each) => each.signer === signer.toLowerCase())
      return Math.max(0, ...own.map(({ nonce }) => nonce))
    },
  }
}

/** Who gave its nonce out: hosts in turn, or one by itself (docs/decisions/isolated-cancels.md). */
function shareOf(body: string): string {
  const rest = readSignedBody(body).nonce % 64
  return rest < 48 ? "in turn" : `alone, ${rest}`
}

/** In the order in which they came. */
function firstOf(kept: ReadonlyMap<string, Kept>, count: number): readonly Kept[] {
  return [...kept.values()].slice(0, count)
}

type RequestRow = {
  readonly id: string
  readonly signer: string
  readonly client: string
  readonly target: string | null
  readonly at_ms: number
  readonly nonce: number
  readonly expires_after: number
  readonly path: string
  readonly operation: string
  readonly body: string
  readonly idempotency?: { readonly by: string; readonly key: string }
  /** Signed by a host that couldn't know of the others. */
  readonly isolated?: true
}

/** Verifies a copy of the ledger as it was left, chain and tables, and reads its requests. */
async function readRequests(file: string): Promise<readonly RequestRow[]> {
  const directory = mkdtempSync(join(tmpdir(), "cs-check-"))
  try {
    const copy = join(directory, basename(file))
    copyLedger(file, copy)
    const { flaw } = await verdictOf(copy)
    assert.equal(flaw, undefined)
    return readLedger(copy).filter(isRequest).map(requestOf)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function isRequest({ kind }: JournalEntry): boolean {
  return kind === "request"
}

function requestOf({ row }: JournalEntry): RequestRow {
  return row as unknown as RequestRow // docs/ledger-schema.md
}

function assertNoncesOnce(requests: readonly RequestRow[]): ReadonlyMap<string, RequestRow> {
  const byNonce = new Map(requests.map((row) => [nonceName(row), row]))
  assert.equal(byNonce.size, requests.length, "a nonce was recorded twice")
  return byNonce
}

function nonceName({ signer, nonce }: Pick<RequestRow, "signer" | "nonce">): string {
  return `${signer.toLowerCase()} ${nonce}`
}

function keyName({ client, idempotency }: RequestRow): string | undefined {
  return idempotency && `${client}/${idempotency.key}`
}

function assertKeysOnce(requests: readonly RequestRow[]): void {
  const keys = requests.flatMap((row) => keyName(row) ?? [])
  assert.equal(new Set(keys).size, keys.length, "an idempotency key has two records")
}

type Order = { readonly symbol_id: number; readonly quantity: string }

/** Counts all records, whether or not anybody got their signature: the windows are longer than a run. */
function assertCaps(requests: readonly RequestRow[]): number {
  const used = new Map<number, { requests: number; notional: number }>()
  for (const { operation, body } of requests) {
    if (operation !== "placeOrder") continue
    const { symbol_id, quantity } = JSON.parse(body) as Order
    const { requests, notional } = used.get(symbol_id) ?? { requests: 0, notional: 0 }
    const now = { requests: requests + 1, notional: notional + unitPrice * Number(quantity) }
    assert.ok(now.requests <= cap.requests, `${symbol_id}: ${now.requests} requests`)
    assert.ok(now.notional <= cap.notional, `${symbol_id}: a notional of ${now.notional}`)
    used.set(symbol_id, now)
  }
  return [...used.values()].filter(isSpent).length
}

/** What the venue takes for an address in a minute, and how often it takes a cancel more when that is spent. */
const addressBudget = { requests: 2_400, cancelEveryMs: 1_000 }
/** A venue's minute, less what hosts' clocks may be apart. */
const minuteMs = 59_400

/** Where budgets are off, so few are asked for that it holds too. Returns the most that came in a minute. */
function assertAddressBudgets(requests: readonly RequestRow[]): number {
  const inTurn = requests.filter(({ isolated }) => isolated !== true)
  const byAddress = Object.groupBy(inTurn, ({ target, signer }) => target ?? signer)
  const most = Object.values(byAddress).map((of = []) => {
    const orders = mostWithin(of.filter(({ operation }) => operation === "placeOrder"))
    const all = mostWithin(of)
    assert.ok(orders <= addressBudget.requests, `${orders} orders for an address in a minute`)
    const bound = addressBudget.requests + Math.ceil(minuteMs / addressBudget.cancelEveryMs)
    assert.ok(all <= bound, `${all} requests for an address in a minute`)
    return all
  })
  return Math.max(0, ...most)
}

/** Returns how many. */
function assertOnlyCancels(isolated: readonly RequestRow[]): number {
  for (const { operation } of isolated) assert.equal(operation, "cancelOrder")
  return isolated.length
}

function mostWithin(requests: readonly RequestRow[]): number {
  const times = requests.map(({ at_ms: atMs }) => atMs).sort((one, other) => one - other)
  let first = 0
  return times.reduce((most, atMs, index) => {
    while (atMs - (times[first] ?? 0) >= minuteMs) first += 1
    return Math.max(most, index - first + 1)
  }, 0)
}

function isSpent(used: { readonly requests: number; readonly notional: number }): boolean {
  return used.requests === cap.requests || used.notional === cap.notional
}

/** The record of a signature. @throws when there is none, or it says something else. */
function assertRecorded(signature: Kept, byNonce: ReadonlyMap<string, RequestRow>): RequestRow {
  const { path, body, record, idempotencyKey, receivedTimes } = signature
  const said = readSignedBody(body)
  const row = byNonce.get(nonceName(said))
  assert.ok(row !== undefined, `no record of the nonce ${said.nonce} of ${said.signer}`)
  const { signer, nonce, expires_after, path: recordedPath, body: business } = row
  assert.deepEqual(
    { signer: signer.toLowerCase(), nonce, expiresAfter: expires_after, business },
    said,
  )
  assert.equal(recordedPath, path)
  if (record !== undefined) {
    assert.equal(record, row.id)
    // Another host may have used a key meanwhile, and keeps it.
    const isTaken = row.isolated === true && row.idempotency === undefined
    if (!isTaken) assert.equal(idempotencyKey, keyName(row))
  }
  if (row.idempotency === undefined && row.isolated !== true)
    assert.ok(receivedTimes <= 1, "sent again without being asked")
  return row
}
