import type { Alarm } from "../../contract/alarms.ts"
import { type KeptAlarm, nameOf } from "./alarm-log.ts"

/** Something that a target is to be told. */
export type Change = {
  /** `passed`: it is over, and the target never heard that it came. Of a critical one it hears of both, one after the other. */
  readonly state: "raised" | "cleared" | "passed"
  readonly alarm: KeptAlarm
}

/** What one target knows, and so what it has yet to hear. */
export type Hearing = ReturnType<typeof openHearing>

/** What is measured is over only once it has been so for this long: what goes to and fro is told once. */
export const lingerMs = 60_000

/** Unknown outcomes come at most this often: of a venue that is away all are like the first. */
export const quietMs = 60_000

type Seen = {
  readonly alarm: KeptAlarm
  readonly overSinceMs: number | undefined
  readonly knows: "nothing" | "raised" | "all"
}

/** Starts knowing nothing; hears of alarms of this severity and graver ones. */
export function openHearing(least: Alarm["severity"]) {
  const seen = new Map<string, Seen>()
  let quietUntilMs = -Infinity
  const concerns = ({ severity }: Alarm): boolean => least === "warning" || severity === "critical"
  return {
    /** These are all alarms of now. */
    see(now: readonly KeptAlarm[], nowMs: number): void {
      const concerning = now.filter(concerns)
      const names = new Set(concerning.map(nameOf))
      for (const [name, each] of seen) {
        if (!names.has(name)) seen.set(name, seenGone(each, nowMs))
      }
      for (const alarm of concerning) {
        seen.set(nameOf(alarm), seenAgain(alarm, seen.get(nameOf(alarm)), nowMs))
      }
      for (const [name, { knows }] of seen) {
        if (!names.has(name) && knows === "all") seen.delete(name)
      }
    },
    /** The critical ones first, each kind in the order in which they came. */
    pending(nowMs: number): readonly Change[] {
      const changes = [...seen.values()].flatMap((each) => {
        const state = isEvent(each.alarm)
          ? eventState(each, nowMs < quietUntilMs)
          : stateOf(each, nowMs)
        return state === undefined ? [] : [{ state, alarm: each.alarm }]
      })
      const [critical, others] = [
        changes.filter(isCritical),
        changes.filter((one) => !isCritical(one)),
      ]
      return [...critical, ...others]
    },
    /** The target took it. */
    heard({ state, alarm }: Change, nowMs: number): void {
      const each = seen.get(nameOf(alarm))
      if (each === undefined) return
      if (isEvent(alarm)) quietUntilMs = nowMs + quietMs
      seen.set(nameOf(alarm), { ...each, knows: knownAfter(state, each) })
    },
    /** Whether it has nothing more to hear of an alarm that is over. */
    isDone: (alarm: KeptAlarm) => !concerns(alarm) || isKnown(alarm, seen.get(nameOf(alarm))),
  }
}

export function isCritical({ alarm }: Pick<Change, "alarm">): boolean {
  return alarm.severity === "critical"
}

/** Something that happened: it is told once, and is never over. */
export function isEvent({ name }: Alarm): boolean {
  return name === "outcome_unknown"
}

/** The vault doesn't know it any more, as after a restart of the vault. */
function seenGone(each: Seen, nowMs: number): Seen {
  if (isEvent(each.alarm) || each.knows === "all") return each
  return {
    ...each,
    alarm: { ...each.alarm, stands: false },
    overSinceMs: each.overSinceMs ?? nowMs,
  }
}

function seenAgain(alarm: KeptAlarm, before: Seen | undefined, nowMs: number): Seen {
  const overSinceMs = alarm.stands ? undefined : (before?.overSinceMs ?? nowMs)
  if (isKnown(alarm, before)) return { alarm, knows: "all", overSinceMs }
  // Told that it came, and back before it was told that it is over: it goes on.
  return { alarm, knows: before?.knows === "raised" ? "raised" : "nothing", overSinceMs }
}

/** Whether all was told of what is over. */
function isKnown(alarm: KeptAlarm, seen: Seen | undefined): boolean {
  if (seen?.knows !== "all" || alarm.stands) return false
  return isEvent(alarm) || seen.alarm.at === alarm.at
}

function eventState({ knows }: Seen, isQuiet: boolean): Change["state"] | undefined {
  return knows === "nothing" && !isQuiet ? "raised" : undefined
}

function stateOf(each: Seen, nowMs: number): Change["state"] | undefined {
  const { alarm, knows } = each
  if (alarm.stands) return knows === "nothing" ? "raised" : undefined
  if (knows === "nothing" && (isCritical({ alarm }) || isSettled(each, nowMs))) return "passed"
  return knows === "raised" && isSettled(each, nowMs) ? "cleared" : undefined
}

function isSettled({ alarm, overSinceMs }: Seen, nowMs: number): boolean {
  return !alarm.lingers || nowMs - (overSinceMs ?? nowMs) >= lingerMs
}

/** What it knows once it was told this: what came anew while it was being told, it has yet to hear. */
function knownAfter(state: Change["state"], { alarm }: Seen): Seen["knows"] {
  if (isEvent(alarm)) return "all"
  if (state === "raised") return "raised"
  if (alarm.stands) return "nothing"
  return state === "passed" && isCritical({ alarm }) ? "raised" : "all"
}
