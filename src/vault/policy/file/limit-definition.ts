import { sha256 } from "@noble/hashes/sha2.js"

import { toHex, utf8 } from "../../../std/bytes.ts"
import { formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import type { FieldCondition, FieldPointer } from "../terms/body-field.ts"
import type { Counted, Limit, LimitWindow, Policy } from "../terms/policy.ts"

/** What a limit is before its file and line are known. */
export type UnplacedLimit = Omit<Limit, "line" | "definition">

/**
 * A digest of all that says what a limit counts: whom its file is for, its matchers, sum or count, window,
 * `per` and lane. Name, max, mode and release aren't part of it, and neither is the order of a list, so
 * that a limit which is renamed, raised or rearranged goes on from what was used.
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

function matchersForm(matchers: Limit["matchers"]) {
  const { hours } = matchers
  return {
    symbols: sorted(matchers.symbols?.map(String)),
    sides: sorted(matchers.sides),
    order_types: sorted(matchers.orderTypes),
    time_in_force: sorted(matchers.timeInForce),
    require_flags: sorted(matchers.requireFlags),
    forbid_flags: sorted(matchers.forbidFlags),
    position_sides: sorted(matchers.positionSides),
    margin_modes: sorted(matchers.marginModes),
    stp_modes: sorted(matchers.stpModes),
    algo_order_types: sorted(matchers.algoOrderTypes),
    client_order_id: matchers.clientOrderId?.source ?? null,
    target_addresses: sorted(matchers.targetAddresses),
    label: matchers.label?.source ?? null,
    hours: hours && [hours.zone, sorted(hours.days), hours.fromMinute, hours.toMinute],
    where: sorted(matchers.where?.map((condition) => JSON.stringify(conditionForm(condition)))),
  }
}

function conditionForm({ pointer, texts, matches, min, max, present }: FieldCondition) {
  return [
    pointer.text,
    sorted(texts),
    matches?.source ?? null,
    amountForm(min),
    amountForm(max),
    present ?? null,
  ]
}

function countedForm(counted: Counted) {
  if (counted.kind !== "field") return counted.kind
  return [counted.pointer.text, pointerForm(counted.by)]
}

function windowForm(window: LimitWindow): readonly (string | number)[] {
  return window.kind === "rolling" ? ["rolling", window.lengthMs] : ["day", window.zone]
}

function pointerForm(pointer: FieldPointer | undefined): string | null {
  return pointer?.text ?? null
}

function amountForm(amount: Decimal | undefined): string | null {
  return amount === undefined ? null : formatDecimal(amount)
}

function sorted(words: readonly string[] | undefined): readonly string[] | null {
  return words === undefined ? null : [...new Set(words)].sort()
}
