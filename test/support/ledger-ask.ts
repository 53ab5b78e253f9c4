import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { Fault } from "../../src/std/fault.ts"
import type { Ledger, LedgerTurn } from "../../src/vault/ledger/ledger.ts"
import type { RecordView } from "../../src/contract/bot-views.ts"
import type { KeyUse } from "../../src/vault/ledger/found-records.ts"
import type { RefusalEntry, RequestEntry } from "../../src/vault/ledger/records/entries.ts"
import type { HoldAsk } from "../../src/vault/ledger/records/hold.ts"
import type { IdempotencyKey } from "../../src/vault/ledger/records/idempotency.ts"
import type { Reservation, ReserveAsk } from "../../src/vault/ledger/records/reservation.ts"
import type { RequestRow } from "../../src/vault/ledger/records/row.ts"
import type { LedgerTime } from "../../src/vault/process/clock.ts"
import { recordView } from "../../src/vault/status/views.ts"
import { parseAddress } from "../../src/venue/address.ts"
import { ledgerTime } from "./fake-clock.ts"

export const signer = parseAddress("0x2c7536e3605d9c16a7a3d7b1898e529396a65c23")!
export const otherSigner = parseAddress("0x1a642f0e3c3af545e7acbd38b07251b3990914f1")!

export const requestEntry: RequestEntry = {
  client: "mm-bot",
  key: "mm-agent",
  operation: "placeOrder",
  path: "/v1/trade/place-order",
  target: null,
  body: '{"is_buy":true,"price":"64000","quantity":"0.5","symbol_id":1}',
  policy_hash: "ab".repeat(32),
  rule: "market-maker/quote",
  purpose: "forward",
}

/** How much of a limit ledger-child.ts has. */
export const childLimit = "600"

/** A refusal that differs from others by its message. */
export function refusalEntry(message = "Too fast."): RefusalEntry {
  return {
    client: "mm-bot",
    key: null,
    operation: "placeOrder",
    policy_hash: "ab".repeat(32),
    refusal: { code: "signer_pace", message, data: { retry_after_ms: 5 } },
  }
}

/** A request of `signer` with a ttl of 15 s that nothing limits. */
export const plainAsk: Omit<ReserveAsk, "nowMs"> = {
  signer,
  entry: requestEntry,
  claims: [],
  sizes: [],
  release: undefined,
  ttlMs: 15_000,
  lane: "open",
}

/** Reserves in a turn of its own. */
export function reserve(ledger: Ledger, ask: ReserveAsk): Promise<Reservation> {
  return ledger.decide([], (turn) => {
    const reservation = turn.reserve(ask)
    return () => reservation
  })
}

/** Opens a hold in a turn of its own, or finds it. */
export function openHold(
  ledger: Ledger,
  ask: HoldAsk,
): Promise<ReturnType<LedgerTurn["openHold"]>> {
  return ledger.decide([], (turn) => {
    const opened = turn.openHold(ask)
    return () => opened
  })
}

/** What an idempotency key was used for. */
export function keyUse(ledger: Ledger, key: IdempotencyKey): Promise<KeyUse> {
  return ledger.decide([key], (turn) => {
    const use = turn.keyUse(key)
    return () => use
  })
}

/** Reserves for `signer` with a ttl of 15 s. */
export function reserveAt(ledger: Ledger, nowMs: number, of = signer): Promise<Reservation> {
  return reserve(ledger, { ...plainAsk, signer: of, nowMs: ledgerTime(nowMs) })
}

/** @throws when it was refused. */
export function assertReserved(
  reservation: Reservation,
): asserts reservation is Extract<Reservation, { kind: "reserved" }> {
  if (reservation.kind === "refused") throw new Error(`refused: ${reservation.refusal.code}`)
}

/** Whether the machine stood still for so long that what was decided isn't given out, though it is recorded. */
export function isLate(error: unknown): boolean {
  return error instanceof Fault && error.message.startsWith("The ledger took too long")
}

/** A reservation that must succeed; asked for once more where it is too late. */
export async function reserved(ledger: Ledger, nowMs: number, of = signer) {
  const reservation = await reserveAt(ledger, nowMs, of).catch((error: unknown) => {
    if (isLate(error)) return reserveAt(ledger, nowMs, of)
    throw error
  })
  assertReserved(reservation)
  return reservation
}

/** A record as its client sees it. */
export async function recordOf(
  ledger: Pick<Ledger, "record">,
  id: string,
  nowMs: LedgerTime,
): Promise<RecordView | undefined> {
  const found = await ledger.record(id)
  return found && recordView(found, nowMs)
}

/** The whole history from `sinceMs` on. */
export async function recordedSince(
  ledger: Ledger,
  sinceMs: number,
): Promise<readonly RequestRow[]> {
  const requests: RequestRow[] = []
  for await (const request of ledger.history(sinceMs)) requests.push(request)
  return requests
}

export type LedgerPlace = { readonly file: string; remove(): Promise<void> }

/** Where a ledger may be made: a file's name in a directory of its own. */
export async function ledgerPlace(): Promise<LedgerPlace> {
  const directory = await mkdtemp(join(tmpdir(), "cs-ledger-"))
  return {
    file: join(directory, "ledger.db"),
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 10 }),
  }
}
