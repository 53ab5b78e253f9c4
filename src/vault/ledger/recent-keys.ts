import type { Clock } from "../process/clock.ts"
import { storedKey, type IdempotencyKey } from "./records/idempotency.ts"
import type { RecordId } from "./records/record-id.ts"

/** How long a key is remembered after its request is durable, and how many such are. */
const rememberedMs = 60_000
const maxRemembered = 10_000

/**
 * The keys whose requests aren't durable yet, and for a while those that are.
 *
 * A look-up in the database that was queued before such a request doesn't find it. It is answered no later
 * than the request is durable, so a key that is forgotten after that is forgotten by nobody who needs it.
 */
export type RecentKeys = {
  find(key: IdempotencyKey): RecentKey | undefined
  /** Remembers a key whose request is queued in the same turn. */
  add(key: IdempotencyKey, recent: RecentKey): void
}

export type RecentKey = {
  readonly record: RecordId
  /** Resolves once the request is durable, and all else that its signature waits for. */
  readonly durable: Promise<unknown>
}

/** Starts with none: what a start finds in the ledger is durable. */
export function openRecentKeys(clock: Pick<Clock, "monotonicMs">): RecentKeys {
  const queued = new Map<string, RecentKey>()
  /** Oldest first. */
  const done = new Map<string, RecentKey & { readonly sinceMs: number }>()

  function forgetOld(): void {
    const lastMs = clock.monotonicMs() - rememberedMs
    for (const [name, { sinceMs }] of done) {
      if (sinceMs >= lastMs && done.size <= maxRemembered) return
      done.delete(name)
    }
  }

  return {
    find(key) {
      const name = nameOf(key)
      return queued.get(name) ?? done.get(name)
    },
    add(key, recent) {
      const name = nameOf(key)
      queued.set(name, recent)
      // After one that fails nothing is signed until a restart.
      void recent.durable.then(
        () => {
          queued.delete(name)
          done.delete(name)
          done.set(name, { ...recent, sinceMs: clock.monotonicMs() })
          forgetOld()
        },
        () => undefined,
      )
    },
  }
}

function nameOf(key: IdempotencyKey): string {
  return JSON.stringify([key.client, storedKey(key)])
}
