import type { Outcome } from "../../link/calls/both-ways.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { type Acts, viewOf } from "../active/active-set.ts"
import { isReserved } from "../ledger/records/bindings.ts"
import { isAnswered } from "../ledger/found-records.ts"
import type { FoundRequest } from "../ledger/store/store.ts"
import { isSameScope, type FreezeScope } from "../ledger/records/freeze.ts"
import type { Clock } from "../process/clock.ts"
import { logFailure } from "../process/log.ts"

/** Sees signs of trouble, most of them by watching the ledger, and freezes where `freeze_on` of countersign.yaml says so. Counts in memory alone. */
export type AutoFreeze = {
  /** The venue's answer to a request; `record` is as it was before. */
  settled(record: FoundRequest, outcome: Outcome): void
  /** A request of a known client that was refused here. */
  noted(refused: { readonly client: string; readonly refusal: Refusal }): void
  /** A nonce that the signer couldn't have for its pace. */
  paced(key: string): void
  /** A request that wasn't signed for the clock. */
  clockUnsafe(): void
}

type Watched = Pick<Acts, "active" | "act" | "now"> & {
  readonly clock: Pick<Clock, "monotonicMs">
}

const windowMs = 60_000

/** Watches one vault; a restart begins all counts anew. */
export function openAutoFreeze(vault: Watched): AutoFreeze {
  const freezeOn = () => vault.active().config.freezeOn
  const ofPolicy = policyWatch(vault)
  const clockUnsafe = (): void => {
    if (!freezeOn().clockTrouble) return
    const reason = "the clock ran too far ahead to sign by it"
    freeze(vault, { scope: "all", name: null }, { sign: "clock_trouble", reason })
  }
  return {
    settled: venueWatch(vault),
    noted(refused) {
      const { refusal } = refused
      const isOfClock = refusal.code === "clock_unsafe" && refusal.data.venue_ahead_ms === null
      if (isOfClock) clockUnsafe()
      else ofPolicy(refused)
    },
    paced(key) {
      if (!freezeOn().nonceTrouble) return
      const reason = "this key was asked for more than one nonce a millisecond for over 1,000 ms"
      freeze(vault, keyScope(key), { sign: "nonce_trouble", reason })
    },
    clockUnsafe,
  }
}

function venueWatch(vault: Watched): AutoFreeze["settled"] {
  const inARow = countInARow()
  return (record, outcome) => {
    const { key, client } = record.row
    // One request counts once, however often its outcome is reported.
    if (isAnswered(record) || isReserved(client)) return
    if (outcome.kind === "accepted") inARow.forget(key)
    // Not of bytes that may have been sent before: their refusal is no sign of trouble, for the first may be accepted.
    if (outcome.kind !== "refused" || outcome.again === true) return
    freezeOnNonce(vault, key, outcome.code)
    const most = vault.active().config.freezeOn.venueRefusals ?? Infinity
    if (inARow.add(key) < most) return
    inARow.forget(key)
    const reason = `the venue refused ${requests(most)} of this key in a row`
    freeze(vault, keyScope(key), { sign: "venue_refusals", reason })
  }
}

function freezeOnNonce(vault: Watched, key: string, code: string): void {
  const { config, profile } = viewOf(key, vault.active())
  if (!config.freezeOn.nonceTrouble || code !== profile.duplicateNonceCode) return
  const reason = "the venue refused a nonce of this key as one that was used before"
  freeze(vault, keyScope(key), { sign: "nonce_trouble", reason })
}

function policyWatch(vault: Watched): AutoFreeze["noted"] {
  const recent = countWithin(windowMs, vault.clock)
  return ({ client, refusal: { code } }) => {
    const { policyRefusalsPerMinute: most } = vault.active().config.freezeOn
    if (code !== "policy_denied" || most === undefined) return
    if (recent.add(client, most) < most) return
    recent.forget(client)
    const reason = `policy refused ${requests(most)} of this client within 60 s`
    freeze(vault, { scope: "client", name: client }, { sign: "policy_refusals_per_minute", reason })
  }
}

function freeze(
  vault: Watched,
  scope: FreezeScope,
  { sign, reason }: { readonly sign: string; readonly reason: string },
): void {
  freezeBy(vault, scope, { by: `freeze_on/${sign}`, reason })
}

/** In force at once. What is frozen already stays as it is, whoever froze it. `by` has a slash, as no client's name has. */
export function freezeBy(
  { active, act, now }: Pick<Acts, "active" | "act" | "now">,
  scope: FreezeScope,
  { by, reason }: { readonly by: string; readonly reason: string },
): void {
  if (active().freezes.some((earlier) => isSameScope(earlier, scope))) return
  const made = { ...scope, reason, by, cancels: true, since: now() }
  act({ act: "frozen", ...made }).catch((error: unknown) =>
    logFailure("freeze_not_recorded", error),
  )
}

function keyScope(name: string): FreezeScope {
  return { scope: "key", name }
}

function requests(count: number): string {
  return count === 1 ? "1 request" : `${count} requests`
}

function countInARow() {
  const counts = new Map<string, number>()
  return {
    add(name: string): number {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      return count
    },
    forget: (name: string) => void counts.delete(name),
  }
}

/** Counts within the half-open window `(now − lengthMs, now]`, in monotonic time. */
function countWithin(lengthMs: number, clock: Pick<Clock, "monotonicMs">) {
  const times = new Map<string, readonly number[]>()
  return {
    /** Remembers no more than `most` of them. */
    add(name: string, most: number): number {
      const nowMs = clock.monotonicMs()
      const earlier = (times.get(name) ?? []).filter((atMs) => nowMs - atMs < lengthMs)
      const recent = [...earlier, nowMs].slice(-most)
      times.set(name, recent)
      return recent.length
    },
    forget: (name: string) => void times.delete(name),
  }
}
