import { unknownOutcome, type KeptAlarm } from "../../link/views/alarms.ts"

/** Requests that were sent and nobody knows what became of: the vault may be away, and never hear of it. */
export type UnknownOutcomes = {
  readonly note: (record: string) => void
  /** Those that somebody has yet to be told of. */
  now(): readonly KeptAlarm[]
  /** Forgets those of which everyone was told. */
  forget(isDone: (alarm: KeptAlarm) => boolean): void
}

/** Of more at once nobody is told one by one. */
const maxRecords = 10_000

/** Starts with nothing noted. */
export function unknownOutcomes(): UnknownOutcomes {
  const noted = new Map<string, KeptAlarm>()
  return {
    note(record) {
      if (noted.size >= maxRecords) return
      noted.set(record, { ...unknownOutcome(record), stands: false, at: Date.now() })
    },
    now: () => [...noted.values()],
    forget(isDone) {
      for (const [record, alarm] of noted) if (isDone(alarm)) noted.delete(record)
    },
  }
}
