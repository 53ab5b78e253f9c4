import type { DecisionFeed, DecisionView } from "../../link/console-views.ts"
import type { JsonObject } from "../../venue/json.ts"
import type { RecordId, RefusalEntry, RequestEntry } from "../ledger/ledger.ts"
import { timeOfId } from "../ledger/record-id.ts"
import { reasonOf, resultOf } from "../metrics/decision-counts.ts"
import { whoRefused } from "../views.ts"
import { askedText, type Wording } from "./asked-text.ts"
import { isSmall } from "./is-small.ts"
import { maxListBytes, roomOf } from "./room.ts"
import { shownText } from "./shown-text.ts"

/** How many of the last decisions are kept. */
export const maxKeptDecisions = 200

/** The decisions that fell last. A request pays for one small object in it; views are made when someone looks. */
export type RecentDecisions = {
  allowed(entry: RequestEntry, record: RecordId): void
  /** `record` is `null` where there was no room to record it: it was decided all the same. */
  refused(entry: RefusalEntry, record: RecordId | null, nowMs: number): void
  /** Those after a decision; all that are kept where none is named, or one that hasn't fallen yet. */
  after(seq: number | undefined, wording: Wording): DecisionFeed
}

type Allowed = { readonly entry: RequestEntry; readonly record: RecordId }
type Refused = {
  readonly entry: RefusalEntry
  readonly record: RecordId | null
  readonly atMs: number
}

/**
 * Remembers nothing at first. Refusals that share a record are a decision each: the ledger counts repeats on
 * one record to save room, but each was an answer of its own.
 */
export function rememberDecisions(): RecentDecisions {
  const ring: (Allowed | Refused)[] = []
  let last = 0
  const keep = (decision: Allowed | Refused): void => {
    ring[last % maxKeptDecisions] = decision
    last += 1
  }
  return {
    allowed: (entry, record) => keep({ entry, record }),
    refused: (entry, record, atMs) => keep({ entry: slim(entry), record, atMs }),
    after(seq, wording) {
      const isKnown = seq !== undefined && seq <= last
      const fresh = isKnown ? last - seq : last
      const newest = Array.from({ length: Math.min(fresh, maxKeptDecisions) }, (_, n) => last - n)
      const views = newest.flatMap((each) => {
        const decision = ring[(each - 1) % maxKeptDecisions]
        return decision === undefined ? [] : [viewOf(decision, each, wording)]
      })
      // The newest get the room; they are told in the order in which they fell.
      const decisions = roomOf(maxListBytes)(views, maxKeptDecisions).toReversed()
      return { decisions, missed: isKnown ? fresh - decisions.length : 0, last }
    },
  }
}

/** A refused body may be of any size, and 200 of them stay. */
function slim(entry: RefusalEntry): RefusalEntry {
  return entry.asked === undefined || isSmall(entry.asked) ? entry : { ...entry, asked: undefined }
}

function viewOf(decision: Allowed | Refused, seq: number, wording: Wording): DecisionView {
  return "atMs" in decision
    ? refusedView(decision, seq, wording)
    : allowedView(decision, seq, wording)
}

function allowedView({ entry, record }: Allowed, seq: number, wording: Wording): DecisionView {
  const { client, key, operation, body, rule } = entry
  return {
    seq,
    at: timeOfId(record) ?? 0,
    result: "allowed",
    client,
    key,
    operation,
    asked: askedText(JSON.parse(body) as JsonObject, wording), // canonical JSON of an object
    by: rule,
    reason: null,
    message: null,
    record,
  }
}

const maxMessageLength = 500

function refusedView(
  { entry, record, atMs }: Refused,
  seq: number,
  wording: Wording,
): DecisionView {
  const { client, key, operation, asked, refusal } = entry
  return {
    seq,
    at: atMs,
    result: resultOf(refusal),
    client,
    key,
    operation,
    asked: asked === undefined ? null : askedText(asked, wording),
    by: whoRefused(refusal),
    reason: reasonOf(refusal),
    message: shownText(refusal.message, maxMessageLength),
    record: record ?? "",
  }
}
