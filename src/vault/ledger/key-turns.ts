import { nameOf, type IdempotencyKey } from "./records/idempotency.ts"

/**
 * Lets work that names the same idempotency key go one after the other: a key is looked up when all that was
 * asked with it before is durable, or was refused, and nobody else uses it until the work has ended.
 */
type KeyTurns = {
  run<Out>(keys: readonly IdempotencyKey[], work: () => Promise<Out>): Promise<Out>
}

/** Starts with no key in use. */
export function openKeyTurns(): KeyTurns {
  /** The last one in the line of each key. */
  const lines = new Map<string, Promise<unknown>>()
  return {
    run(keys, work) {
      const names = keys.map(nameOf)
      // All at once, so that no two wait for each other.
      const done = Promise.allSettled(names.flatMap((name) => lines.get(name) ?? [])).then(work)
      for (const name of names) lines.set(name, done)
      const leave = (): void => {
        for (const name of names) if (lines.get(name) === done) lines.delete(name)
      }
      done.then(leave, leave)
      return done
    },
  }
}
