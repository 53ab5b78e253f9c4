// What is wrong by what the gate sees itself: of the vault, of the venue, and of what was asked for over a time.

import { alarm, type Alarm } from "../contract/alarms.ts"

/** A request that was sent, and nobody knows what became of it: an event, which is never over. */
export function unknownOutcome(record: string): Alarm {
  const fact = `The request ${record} was sent, and nobody knows what became of it`
  const advice = "look at the venue before anything is sent anew; countersign audit show has it"
  return alarm("outcome_unknown", { subject: record, fact, advice })
}

/** The vault gave the gate no answer. */
export function vaultUnreachable(): Alarm {
  const fact =
    "The gate gets no answer from the vault, and while it is away nothing is signed, cancels neither"
  const advice = "countersign status and countersign doctor say why"
  return alarm("vault_unreachable", { subject: "", fact, advice })
}

/** That the venue has answered nothing. */
export type Unanswered = {
  /** When the first try in a row began to fail, by the wall clock. */
  readonly sinceMs: number
  /** How many in a row. */
  readonly tries: number
  /** Of the last one, in a word. */
  readonly why: string
}

/** One try that fails proves little, and where nobody tries nobody misses it. */
const leastTries = 2

/** For how long the venue has answered nothing; 0 while it answers. */
export function unansweredSeconds(unanswered: Unanswered | undefined, nowMs: number): number {
  if (unanswered === undefined || unanswered.tries < leastTries) return 0
  return Math.max(0, nowMs - unanswered.sinceMs) / 1_000
}

/** A venue that is restarted, or a network that is switched over, is back sooner. */
const longestSilenceSeconds = 30

/** The venue has answered nothing for some time, though it was asked. */
export function venueAlarms(unanswered: Unanswered | undefined, nowMs: number): readonly Alarm[] {
  if (unanswered === undefined) return []
  if (unansweredSeconds(unanswered, nowMs) < longestSilenceSeconds) return []
  const { sinceMs: since, why } = unanswered
  const fact = `The venue can't be reached (${why}), so what is signed doesn't get there, cancels neither`
  const advice =
    "see whether it is down for all, then look at this machine's network and at upstream in countersign.yaml"
  return [alarm("venue_unreachable", { subject: "", fact, advice, since })]
}

/** What was decided of one client's requests within {@link refusalWindowMs}. */
export type Asked = {
  readonly client: string
  readonly decided: number
  /** How many were refused, by reason. */
  readonly refused: ReadonlyMap<string, number>
}

/** Over so long refusals are counted. */
export const refusalWindowMs = 300_000

/** Fewer are no sign of anything: a bot may try something out. */
const leastRefused = 30

/** Clients that were refused more than half of what they asked for, all for one reason. */
export function refusalAlarms(asked: readonly Asked[]): readonly Alarm[] {
  return asked.flatMap(({ client, decided, refused }) =>
    [...refused]
      .filter(([, count]) => count >= leastRefused && 2 * count > decided)
      .map(([reason, count]) => {
        const fact = `Of ${decided} requests of ${client} in 5 minutes ${count} were refused: ${reason}`
        const advice = "countersign audit tail shows each with what was asked and what is allowed"
        return alarm("refuses_much", { subject: `${client} ${reason}`, fact, advice })
      }),
  )
}
