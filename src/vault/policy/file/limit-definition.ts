import { sha256 } from "@noble/hashes/sha2.js"

import { toHex, utf8 } from "../../../std/bytes.ts"
import { sorted } from "../match/matcher.ts"
import { mapAsked } from "../match/matchers.ts"
import type { Counted, Limit, LimitWindow, Policy } from "../terms/policy.ts"

/** What a limit is before its file and line are known. */
export type UnplacedLimit = Omit<Limit, "line" | "definition">

/**
 * A digest of what a limit counts: whom its file is for, its matchers, sum or count, window, `per` and lane. Name,
 * max, mode, release and the order of lists aren't part of it. So a limit that is renamed, raised or rearranged
 * keeps what was used.
 */
export function limitDefinition(limit: UnplacedLimit, appliesTo: Policy["appliesTo"]): string {
  const { operations, matchers, namesEndpoints } = limit
  const definition = {
    clients: sorted(appliesTo.clients),
    keys: sorted(appliesTo.keys),
    endpoints: namesEndpoints ? sorted([...operations]) : null,
    matchers: matchersForm(matchers),
    counted: countedForm(limit.counted),
    window: windowForm(limit.window),
    per: limit.per,
    lane: limit.lane ?? null,
  }
  return toHex(sha256(utf8(JSON.stringify(definition))).slice(0, 16)).slice(2)
}

/** Digests have had these keys from the start. Later keys are in a digest only if an entry has them. */
const unasked = {
  ...{ symbols: null, sides: null, order_types: null, time_in_force: null, require_flags: null },
  ...{ forbid_flags: null, position_sides: null, margin_modes: null, stp_modes: null },
  ...{ algo_order_types: null, client_order_id: null, target_addresses: null, label: null },
  ...{ hours: undefined, where: null },
}

function matchersForm(matchers: Limit["matchers"]) {
  const forms = mapAsked(matchers, (matcher, value) => [matcher.key, matcher.form(value)] as const)
  return { ...unasked, ...Object.fromEntries<unknown>(forms) }
}

function countedForm(counted: Counted) {
  if (counted.kind !== "field") return counted.kind
  return [counted.pointer.text, counted.by?.text ?? null]
}

function windowForm(window: LimitWindow): readonly (string | number)[] {
  // JSON makes `null` of the length of `ever`.
  return window.kind === "rolling" ? ["rolling", window.lengthMs] : ["day", window.zone]
}
