import type { Measures } from "../../contract/facts.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { openHistogram, workBoundsSeconds } from "../../std/histogram.ts"
import { watchEventLoop, type LoopDelay } from "../../std/time/event-loop-delay.ts"

/** What a vault counts of itself while it works. */
export type VaultMetrics = ReturnType<typeof openVaultMetrics>

/** Starts with nothing counted. */
export function openVaultMetrics() {
  let delay: (() => LoopDelay) | undefined
  return {
    decisions: countDecisions(),
    stages: timeStages(),
    /** Watches from the first question on: who is never asked pays nothing. */
    loopDelay: () => (delay ??= watchEventLoop())(),
  }
}

type Result = "allowed" | "refused" | "held"

/** `operation` is `null` where the path is none of the venue's. */
type Refused = {
  readonly client: string
  readonly operation: string | null
  readonly refusal: Refusal
}

/** Beyond so many series the rest share some: a snapshot has to fit a line of the socket. */
export const maxDecisionSeries = 1_000
const rest = "other"

type Count = { count: number }
/** By client, operation, result and reason. */
type Tree = Map<string, Map<string, Map<Result, Map<string, Count>>>>

/**
 * How many requests of known clients were decided how. Watches a ledger. All labels come from lists of ours: the names of clients, the venue's
 * operations, and the codes and reasons of refusals; nothing that a bot sent is one.
 */
export function countDecisions() {
  const tree: Tree = new Map()
  const totals = { allowed: 0, refused: 0, held: 0 }
  let size = 0
  const find = (labels: readonly [string, string, Result, string]): Count => {
    const [client, operation, result, reason] = labels
    const known = tree.get(client)?.get(operation)?.get(result)?.get(reason)
    if (known !== undefined) return known
    if (size >= maxDecisionSeries && client !== rest) return find([rest, rest, result, rest])
    size += 1
    return plant(tree, labels)
  }
  return {
    reserved({ client, operation }: { readonly client: string; readonly operation: string }): void {
      totals.allowed += 1
      find([client, operation, "allowed", ""]).count += 1
    },
    noted({ client, operation, refusal }: Refused): void {
      const result = resultOf(refusal)
      totals[result] += 1
      find([client, operation ?? "unknown", result, reasonOf(refusal)]).count += 1
    },
    /** How many in all, by result. */
    totals: () => ({ ...totals }),
    /** Labels of lists of ours, with how many. */
    series: () => [...seriesOf(tree)],
  }
}

/** A request that waits for a person isn't refused for good. */
export function resultOf({ code }: Refusal): "refused" | "held" {
  return code === "approval_required" ? "held" : "refused"
}

/** Why it was refused: the reason of a denial says more than the code that all of them have. */
export function reasonOf(refusal: Refusal): string {
  return refusal.code === "policy_denied" ? refusal.data.reason : refusal.code
}

function plant(
  tree: Tree,
  [client, operation, result, reason]: readonly [string, string, Result, string],
): Count {
  const count = { count: 0 }
  const operations = branch(tree, client)
  const results = branch(operations, operation)
  branch(results, result).set(reason, count)
  return count
}

function branch<Key, Inner, Value>(tree: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  const grown = tree.get(key) ?? new Map<Inner, Value>()
  tree.set(key, grown)
  return grown
}

function* seriesOf(tree: Tree): Generator<readonly [readonly string[], number]> {
  for (const [client, operations] of tree) {
    for (const [operation, results] of operations) {
      for (const [result, reasons] of results) {
        for (const [reason, { count }] of reasons)
          yield [[client, operation, result, reason], count]
      }
    }
  }
}

/** What a request goes through here; `record` is from judging until its record is durable, whatever is done meanwhile. */
type SignStage = keyof Measures["stages"]

/** How long requests were in each stage. No request is told apart: within a turn there is but one. */
function timeStages() {
  const histograms = {
    parse: openHistogram(workBoundsSeconds),
    judge: openHistogram(workBoundsSeconds),
    record: openHistogram(workBoundsSeconds),
    sign: openHistogram(workBoundsSeconds),
  } satisfies Record<SignStage, unknown>
  let beganMs = 0
  const endSince = (stage: SignStage, startedMs: number): number => {
    const nowMs = performance.now()
    histograms[stage].observe((nowMs - startedMs) / 1_000)
    return (beganMs = nowMs)
  }
  return {
    /** A stage begins that ends within the same turn. */
    begin(): void {
      beganMs = performance.now()
    },
    /** The stage since the last `begin` or end is over; the next begins. Tells the time, in milliseconds. */
    end: (stage: SignStage) => endSince(stage, beganMs),
    /** The same of a stage that began at `startedMs` and gave way meanwhile. */
    endSince: (stage: SignStage, startedMs: number) => void endSince(stage, startedMs),
    /** How many lasted how long, by the bounds of {@link workBoundsSeconds}. */
    read: () => ({
      parse: histograms.parse.read(),
      judge: histograms.judge.read(),
      record: histograms.record.read(),
      sign: histograms.sign.read(),
    }),
  }
}
