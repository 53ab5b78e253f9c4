import { isDeepStrictEqual } from "node:util"

import { type JournalReader, keyName, type Recorded } from "./journal.ts"
import { amountIn, type Fields, hasSame, usedOf, whoseRoom } from "./sums.ts"

/** What must hold of a request's record, by all that the journal has before it. @throws {Error} that says what doesn't. */
export function checkRecord(recorded: Recorded, before: JournalReader): void {
  checkNonce(recorded, before)
  checkStops(recorded, before)
  checkKey(recorded, before)
  checkRelease(recorded, before)
  checkCaps(recorded, before)
  checkRepeats(recorded, before)
}

function checkNonce({ row }: Recorded, { lastNonces }: JournalReader): void {
  const last = lastNonces.get(row.signer) ?? 0
  if (row.nonce <= last) throw new Error(`the nonce ${row.nonce} came after ${last}`)
  if (row.expires_after <= row.nonce) throw new Error("a request expired before its nonce")
}

/** In force from the moment that their row is in the journal. */
function checkStops({ row, lane, policy }: Recorded, { freezes, ended }: JournalReader): void {
  const scopes = ["all ", `client ${row.client}`, `key ${row.key}`]
  const stopping = scopes.flatMap((scope) => freezes.get(scope) ?? [])
  if (stopping.some(({ cancels }) => lane === "open" || !cancels)) {
    throw new Error("recorded while it was frozen")
  }
  if (ended.has(row.client) || ended.has(row.key)) throw new Error("recorded after a revocation")
  const isDenied = policy.denied === row.client && row.operation === "placeOrder"
  if (isDenied) throw new Error("recorded what policy denies")
}

const dayMs = 86_400_000

/** One record a key, but where it was kept long enough. */
function checkKey({ row }: Recorded, { byKey }: JournalReader): void {
  const { idempotency } = row
  const earlier = idempotency && byKey.get(keyName(row.client, idempotency))
  if (earlier?.row.id !== idempotency?.replaces) throw new Error("a key has two records")
  if (earlier === undefined) return
  const { counted_at: countedAt, at_ms: atMs, expires_after: expiresAfter } = earlier.row
  const keptUntilMs = Math.max((countedAt ?? atMs) + dayMs, expiresAfter)
  if (row.at_ms <= keptUntilMs) throw new Error("a key was forgotten too early")
}

/** What policy holds has a release of its own, used once; what it doesn't hold has none. */
function checkRelease({ row, policy, quantity }: Recorded, { holds }: JournalReader): void {
  const isHeld = quantity > policy.heldOver
  if (isHeld !== (row.release !== undefined)) {
    throw new Error(isHeld ? "recorded without the release that it needs" : "a release for nothing")
  }
  if (row.release === undefined) return
  const hold = holds.get(row.release)
  if (hold?.state !== "released") throw new Error("used a hold that isn't released, or was used")
  const { client, key, body, expires_at: expiresAt } = hold.opened
  const isOwn = isDeepStrictEqual([client, key, body], [row.client, row.key, row.body])
  if (!isOwn || row.at_ms >= expiresAt) throw new Error("used another's release, or too late")
}

/** Caps are never passed, whatever was given back. */
function checkCaps(recorded: Recorded, { requests }: JournalReader): void {
  const { row, place, policy } = recorded
  for (const limit of policy.limits) {
    const amount = amountIn(limit, recorded)
    if (amount === 0n) continue
    const used = usedOf(requests, {
      ...{ limit, whose: whoseRoom(limit, row), atMs: row.counted_at ?? row.at_ms },
      isFree: ({ givenBackAt, policy: then, row: { purpose } }) =>
        limit.givesBack &&
        purpose === "forward" &&
        then.limits.some(({ givesBack }) => givesBack) &&
        (givenBackAt ?? Infinity) < place,
    })
    if (used + amount > BigInt(limit.max)) {
      throw new Error(`${limit.name}: ${used} and ${amount} are more than ${limit.max}`)
    }
  }
}

/** The same isn't recorded twice within the time that policy says, but with a key. */
function checkRepeats({ row, lane, policy }: Recorded, { requests }: JournalReader): void {
  const { repeatWithinMs } = policy
  if (repeatWithinMs === undefined || lane === "cancel" || row.idempotency !== undefined) return
  const atMs = row.counted_at ?? row.at_ms
  const ask = { ...row, fields: JSON.parse(row.body) as Fields, sinceMs: atMs - repeatWithinMs }
  if (hasSame(requests, ask)) throw new Error("the same was signed again without a key")
}
