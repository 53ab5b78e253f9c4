import { decodeUtf8 } from "../../std/bytes.ts"
import type { Problem } from "../http/problem.ts"
import { refusedReply, type Reply, type VenueAnswer } from "../http/reply.ts"
import { causeFields, errorFields } from "../process/log.ts"
import type { ForwardDependencies } from "../sign/forward.ts"
import { type Sent, outcomeOf } from "../upstream/exchange.ts"
import type { FetchAsk } from "../upstream/upstream.ts"
import { hasVenue, venueFor } from "../upstream/venues.ts"

export type ReadDependencies = Pick<ForwardDependencies, "link" | "upstream" | "paper" | "log">

/** What a bot wants to read of the venue. */
export type ReadAsk = Omit<FetchAsk, "signal"> & {
  readonly token: string
  /** `Countersign-Key`. */
  readonly key: string | undefined
}

/** `gone`: the bot left. */
export type ReadReply = Extract<Reply, { readonly kind: "problem" | "venue" }> | "gone"

/** Reads once of the venue, if the vault lets the client, and ends that when `signal` says that the bot left. */
export async function fetchRead(
  deps: ReadDependencies,
  ask: ReadAsk,
  signal: AbortSignal,
): Promise<ReadReply> {
  const { token, path, key } = ask
  if (!hasVenue(deps, token)) return { kind: "problem", problem: baseUrlMissing }
  const leave = await deps.link.call("read", { token, path, key })
  if (leave.kind === "refused") return refusedReply(leave)
  const upstream = await venueFor(deps, token, leave)
  const sent = await upstream.fetch({ ...ask, signal })
  if (signal.aborted) return "gone"
  if (sent.kind === "answered") {
    if (isBudgetSpent(sent.answer)) await tellSpent(deps, token)
    return { kind: "venue", answer: sent.answer }
  }
  deps.log({ level: "warn", event: "read_failed", ...causeFields(sent.cause) })
  return { kind: "problem", problem: problemOfSent(sent, upstream.address) }
}

/** A read spends no other budget; what its code and scope are isn't disclosed. */
function isBudgetSpent(answer: VenueAnswer): boolean {
  if (answer.status !== 429) return false
  const outcome = outcomeOf(answer)
  return outcome.kind === "refused" && outcome.spent !== "address"
}

async function tellSpent({ link, log }: ReadDependencies, token: string): Promise<void> {
  try {
    await link.call("readBudgetSpent", { token })
  } catch (error) {
    // The bot gets the venue's answer all the same, and the next read the next 429.
    log({ level: "error", event: "report_lost", ...errorFields(error) })
  }
}

function problemOfSent(
  { kind }: Exclude<Sent, { readonly kind: "answered" }>,
  address: string,
): Problem {
  return kind === "unsent"
    ? {
        code: "upstream_unreachable",
        message: `The venue couldn't be reached at ${address}, so nothing was sent; ask again.`,
      }
    : {
        code: "read_failed",
        message: "The venue's answer didn't come whole and in time; ask again, it changes nothing.",
      }
}

const baseUrlMissing: Problem = {
  code: "base_url_missing",
  message: "No venue is configured; add base_url to venue.yaml.",
  data: { add_line: "base_url: https://…" },
}

// ECMAScript's "JSON.parse source text access", which TypeScript's own types don't have as of 6.0.
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }
type Source = { readonly source?: string }

/** Parses bytes as JSON in which each number stays the text that it came as; `undefined` when they are none. */
export function parseRawJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (!text.ok) return undefined
  try {
    return JSON.parse(text.value, (_, value: unknown, context?: Source) =>
      typeof value === "number" ? rawJSON(context?.source ?? "null") : value,
    )
  } catch {
    return undefined // no JSON, or too deep
  }
}
