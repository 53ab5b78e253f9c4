import { joinedLines } from "../../venue/builtin-profile.ts"
import type { Warning } from "../../contract/views.ts"
import { cancelIds, type Profile } from "../../venue/profile.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { FileSet } from "../config/load-files.ts"
import { pollName } from "../ledger/records/bindings.ts"
import { termsOf } from "../request/spending.ts"
import { venueClockWarnings } from "../watch/venue-clock.ts"
import { endingsOf, keylessClients } from "./endings.ts"
import { guardWarnings } from "./guard-warnings.ts"
import type { StatusSources } from "./sources.ts"

/** What an operator should know of a running vault besides what it signs, the gravest first. */
export function vaultWarnings(sources: StatusSources): readonly Warning[] {
  const difference = sources.differ()
  const { surroundings, curve, ledger } = sources
  const setBack = ledger.clock.warning()
  const set = sources.active()
  return [
    ...(difference === undefined ? [] : [{ message: difference.message, fix: difference.fix }]),
    ...(setBack === undefined ? [] : [{ message: setBack, fix: setBackFix }]),
    ...copyWarning(ledger.marks.unmarked()),
    ...venueClockWarnings(sources.venueClock, set),
    ...surroundings.warnings.map((message) => ({ message, fix: unitFix })),
    ...(curve.warning === undefined ? [] : [{ message: curve.warning, fix: curveFix }]),
    ...sources.checkpoints.alarms().map((message) => ({ message, fix: "countersign doctor" })),
    ...setWarnings(set, sources.now()),
  ]
}

const setBackFix = "set the clock right, or if it is: countersign clock accept"
const unitFix = "install the unit anew, then: systemctl daemon-reload"
export const curveFix =
  "on a system that it is built for: npm install --global --include=optional countersign"
const changeFiles = "change countersign.yaml or venue.yaml, then: countersign policy reload"

/** Until the next start, which finds marks. */
function copyWarning(signers: readonly string[]): readonly Warning[] {
  if (signers.length === 0) return []
  const message = `${signers.join(", ")} signed by this ledger before, and not on this machine: where it is a copy, two now sign with one key, each under caps of its own.`
  return [{ message, fix: "stop Countersign on the machine that this was copied from" }]
}

/** What keys, clients and files give to think about together, though nothing is wrong enough to stop for. */
export function warningsOf(set: ActiveSet, nowMs: number): readonly Warning[] {
  return [...cancelWarning(set), ...setWarnings(set, nowMs)]
}

function setWarnings(set: ActiveSet, nowMs: number): readonly Warning[] {
  return [
    ...approvalWarnings(set),
    ...endingWarnings(set, nowMs),
    ...stopWarnings(set),
    ...shareWarnings(set),
    ...pollWarnings(set),
    ...guardWarnings(set),
  ]
}

/** What is promised to nobody is kept for nobody. */
function shareWarnings({ config, clients }: ActiveSet): readonly Warning[] {
  return [...config.budgets.shares.keys()]
    .filter((name) => !clients.some((each) => each.name === name && each.token_hash !== null))
    .map((name) => ({
      message: `budgets in countersign.yaml has a share for ${name}, and there is no such client: nothing is kept for it.`,
      fix: changeFiles,
    }))
}

/** A round of the price poll that never finds room. */
function pollWarnings(set: ActiveSet): readonly Warning[] {
  const { pricePoll } = set.profile
  const left = termsOf("ip", undefined, set)?.keptFor.get(pollName)
  if (pricePoll === undefined || left === undefined || left >= pricePoll.weight) return []
  const message = `In venue.yaml a round of price_poll weighs ${pricePoll.weight} of the IP budget, and shares and cancel_reserve leave it ${left}: nothing is polled.`
  return [{ message, fix: changeFiles }]
}

/** Orders that can be placed here but not cancelled here. */
export function cancelWarning({ profile, policies }: FileSet): readonly Warning[] {
  const canCancel = cancelIds.some((id) => profile.endpoints.get(id)?.signing.known === true)
  const mayPlace = policies.some((policy) => policy.rules.length > 0)
  if (canCancel || !mayPlace) return []
  const message =
    "A policy allows requests, but no cancel can be signed: add the action tags of cancelOrder, cancelBatch and cancelAll to venue.yaml."
  return [{ message, fix: changeFiles }]
}

function approvalWarnings({ keys, profile: { network } }: ActiveSet): readonly Warning[] {
  return [...keys.values()]
    .filter((key) => key.role === "agent" && key.approval === "unknown" && key.network === network)
    .map(({ name }) => ({
      message: `No approval of the agent key ${name} went through this daemon; it signs, and the venue decides.`,
      fix: `countersign agent approve ${name}`,
    }))
}

/** What ends soon or has ended, and who has nothing left to sign with. */
function endingWarnings(set: ActiveSet, nowMs: number): readonly Warning[] {
  const soon = endingsOf(set, nowMs).filter(({ is_soon }) => is_soon)
  return [...keylessClients(set, nowMs), ...soon].map(({ message, fix }) => ({ message, fix }))
}

/** So many of a unit, in words. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

/** What would keep heartbeats and panics from doing what the files mean by them. */
export function stopWarnings(set: ActiveSet): readonly Warning[] {
  const ofKeys = [...unheardWarnings(set), ...panicKeyWarnings(set)]
  return [...panicWarnings(set), ...ofKeys.map((message) => ({ message, fix: changeFiles }))]
}

/** Silence counts from a client's first heartbeat on, so that of one that can send none never does. */
function unheardWarnings({ config, clients }: ActiveSet): readonly string[] {
  return [...config.heartbeats.keys()].flatMap((name) => {
    const client = clients.find((each) => each.name === name && each.token_hash !== null)
    if (client?.rights.includes("heartbeat") === true) return []
    const what =
      client === undefined ? "there is no such client" : "it doesn't have --right heartbeat"
    return [`heartbeats in countersign.yaml names ${name}, and ${what}: nothing watches it.`]
  })
}

/** Where a panic is meant to cancel, or something can be placed that it should, it must be able to. */
export function panicWarnings({ config, profile, policies }: FileSet): readonly Warning[] {
  const isMeant =
    profile.panic.length > 0 ||
    policies.some(({ rules }) => rules.length > 0) ||
    [...config.heartbeats.values()].some(({ then }) => then === "panic")
  if (!isMeant) return []
  const lines = missingLines(profile).map(
    (line) => `A panic freezes and can't cancel; add to venue.yaml: ${line}`,
  )
  const noVenue = "A panic can send no cancel without base_url in venue.yaml."
  const messages = profile.baseUrl === undefined ? [...lines, noVenue] : lines
  return messages.map((message) => ({ message, fix: changeFiles }))
}

function panicKeyWarnings({ profile, keys }: ActiveSet): readonly string[] {
  const named = new Set(profile.panic.flatMap(({ key }) => key ?? []))
  return [...named]
    .filter((name) => !keys.has(name))
    .map((name) => `panic in venue.yaml names the key ${name}, and there is no such key.`)
}

/** The lines of venue.yaml without which a panic cancels nothing. */
export function missingLines({ panic: lines, endpoints }: Profile): readonly string[] {
  const operations = new Set(lines.map(({ operation }) => operation))
  if (lines.length === 0) operations.add("cancelAll")
  const tags = [...operations].flatMap((id) => {
    const signing = endpoints.get(id)?.signing
    return signing === undefined || signing.known ? [] : [signing.addLine]
  })
  const panicLine = "panic: [{operation: cancelAll, body: '{…}'}]"
  return joinedLines(lines.length === 0 ? [panicLine, ...tags] : tags)
}
