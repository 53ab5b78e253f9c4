import { bots, policies, type Bot } from "./site.ts"
import type { Event, Happening, Plan, Scope, Told, Wanted } from "./events.ts"
import { keyNames, type KeyName } from "./fake-curve.ts"
import { quickRandom, type QuickRandom } from "./quick-random.ts"

/**
 * Makes a plan of a seed. Each seed leaves most of what is rare out and has few bots that want few different things, so
 * that what it has meets again and again.
 */
export function planOf(seed: number): Plan {
  const random = quickRandom(seed)
  const mood = moodOf(random)
  const isToEndWell = random.isOneIn(2)
  const events: Event[] = []
  const count = 6 + random.below(16)
  for (let made = 0; made < count; made += 1) {
    for (const happening of random.weighed(mood.kinds)(random, mood)) {
      events.push({ ...happening, then: random.isOneIn(3) ? random.below(12) : "all" })
    }
    if (random.isOneIn(mood.flushesOneIn)) events.push(...flush(random))
  }
  return { events, isToEndWell }
}

/** What a seed's history is like. */
type Mood = {
  readonly kinds: readonly Kind[]
  readonly bots: readonly number[]
  readonly quantities: readonly number[]
  /** How many of its requests have an idempotency key: one in so many. */
  readonly keysOneIn: number
  readonly forwardsOneIn: number
  /** After how many events the disk is flushed. */
  readonly flushesOneIn: number
  readonly scope: Scope
}

type Maker = (random: QuickRandom, mood: Mood) => readonly Happening[]
type Kind = { readonly weight: number; readonly make: Maker }

function moodOf(random: QuickRandom): Mood {
  const first = random.below(bots.length)
  return {
    kinds: kindsOf(random),
    bots: random.isOneIn(3) ? [first] : [first, random.below(bots.length)],
    quantities: random.pick([[1], [1, 2, 3], [6], [1, 6], [2, 3, 4, 5, 6]]),
    keysOneIn: random.pick([1, 2, 4, 100]),
    forwardsOneIn: random.pick([1, 2, 100]),
    flushesOneIn: random.pick([1, 2, 2, 4]),
    scope: scopeOf(random),
  }
}

/** Asking is always part of it; of the rest a few. */
function kindsOf(random: QuickRandom): readonly Kind[] {
  const others = rare.filter(() => random.isOneIn(3))
  // Each lock has V8 collect its garbage, which takes as long as several histories.
  if (random.isOneIn(400)) others.push({ weight: 6, make: lock })
  return [
    { weight: 16, make: sign },
    { weight: 3, make: batch },
    { weight: 4, make: (r) => [{ do: "pass", ms: r.pick(passes) }] },
    { weight: 1, make: () => [{ do: "write marks" }] },
    ...others,
  ]
}

/** A weight says how often it comes beside 16 signatures. */
const rare: readonly Kind[] = [
  { weight: 8, make: report },
  { weight: 4, make: (r, { scope }) => [{ do: "freeze", what: scope, cancels: !r.isOneIn(3) }] },
  { weight: 4, make: (_r, { scope }) => [{ do: "thaw", what: scope }] },
  { weight: 4, make: reloadWhileHeard },
  { weight: 10, make: decide },
  { weight: 4, make: (r) => [{ do: "adopt", policy: r.below(policies.length) }] },
  { weight: 1, make: (r, mood) => [{ do: "revoke client", bot: r.pick(mood.bots) }] },
  { weight: 1, make: (r) => [{ do: "revoke key", key: r.pick(keyNames) }] },
  { weight: 2, make: (r) => [{ do: "fill disk", torn: r.pick(torn) }, ...startSoon(r)] },
  { weight: 4, make: crash },
  { weight: 5, make: restore },
  { weight: 2, make: (r) => [{ do: "stop" }, ...startSoon(r)] },
  { weight: 3, make: leap },
]

const torn = ["nothing", "part", "all"] as const
const leaps = [-86_400_000, -60_000, -3_000, -1, 5_000, 11_000, 600_000]
const passes = [1, 1, 40, 900, 1_000, 2_000, 9_999, 10_000, 15_001, 60_000, 90_000_000]

function flush(random: QuickRandom): readonly Event[] {
  const most = random.isOneIn(3) ? 1 + random.below(3) : 100
  const commit: Event = { do: "commit", most, then: 0 }
  const tell: Event = { do: "tell", then: random.isOneIn(4) ? random.below(8) : "all" }
  const marks: Event = { do: "write marks", then: 0 }
  return random.isOneIn(6) ? [commit] : [...(random.isOneIn(4) ? [] : [marks]), commit, tell]
}

function sign(random: QuickRandom, mood: Mood): readonly Happening[] {
  const purpose = random.isOneIn(mood.forwardsOneIn) ? "forward" : "return"
  const bot = random.pick(mood.bots)
  return [{ do: "sign", bot, wanted: wantedBy(bots[bot]!, random, mood), purpose }]
}

function batch(random: QuickRandom, mood: Mood): readonly Happening[] {
  const bot = random.pick(mood.bots)
  const wanted = Array.from({ length: 1 + random.below(3) }, () =>
    wantedBy(bots[bot]!, random, mood),
  )
  return [{ do: "batch", bot, wanted }]
}

function wantedBy(bot: Bot, random: QuickRandom, mood: Mood): Wanted {
  const order = random.isOneIn(8) ? "cancel" : random.pick(mood.quantities)
  return {
    order: random.isOneIn(16) ? { exit: 2 } : order,
    ...(random.isOneIn(4) && { key: random.pick(bot.keys) as KeyName }),
    ...(random.isOneIn(mood.keysOneIn) && { idempotency: random.below(2) }),
  }
}

/** Most are sent before anything else is heard of them. */
function report(random: QuickRandom): readonly Happening[] {
  const nth = random.below(2)
  const told = random.pick<Told>([
    "refused",
    "refused",
    "accepted",
    "unsent",
    "withdrawn",
    "refused again",
    "unknown",
    "sent",
  ])
  const last: Happening = { do: "report", nth, told }
  return random.isOneIn(3) ? [last] : [{ do: "report", nth, told: "sent" }, last]
}

/** A refusal is on its way to the disk while limits are counted anew, and perhaps the power goes. */
function reloadWhileHeard(random: QuickRandom): readonly Happening[] {
  const flushed: readonly Happening[] = [
    { do: "write marks" },
    { do: "commit", most: 100 },
    { do: "tell" },
  ]
  const nth = random.below(2)
  const told = (what: Told): Happening => ({ do: "report", nth, told: what })
  return [
    ...[...flushed, told("sent"), ...flushed, ...flushed, told("refused"), ...flushed],
    ...[{ do: "adopt", policy: 1 + random.below(2) } as const],
    ...(random.isOneIn(2) ? flushed : []),
  ]
}

function decide(random: QuickRandom): readonly Happening[] {
  return [{ do: "decide", nth: random.below(2), to: random.isOneIn(4) ? "refused" : "released" }]
}

function lock(random: QuickRandom): readonly Happening[] {
  return [{ do: random.isOneIn(2) ? "lock" : "unlock" }]
}

function scopeOf(random: QuickRandom): Scope {
  if (random.isOneIn(3)) return { scope: "all", name: null }
  if (random.isOneIn(2)) return { scope: "key", name: random.pick(keyNames) }
  return { scope: "client", name: random.pick(bots).name }
}

function crash(random: QuickRandom): readonly Happening[] {
  const reboot = random.isOneIn(3)
  return [{ do: "crash", torn: random.pick(torn), reboot, restore: false }, ...startSoon(random)]
}

/** A copy, and after a while the power goes and the copy is put back. */
function restore(random: QuickRandom): readonly Happening[] {
  if (random.isOneIn(2)) return [{ do: "back up" }]
  const back: Happening = { do: "crash", torn: "nothing", reboot: false, restore: true }
  const accept: readonly Happening[] = random.isOneIn(2) ? [{ do: "accept restore" }] : []
  return [back, ...startSoon(random), ...accept]
}

function leap(random: QuickRandom): readonly Happening[] {
  const accept: readonly Happening[] = random.isOneIn(3) ? [{ do: "accept clock" }] : []
  return [{ do: "leap", ms: random.pick(leaps) }, ...accept]
}

/** Nearly always. */
function startSoon(random: QuickRandom): readonly Happening[] {
  const dies = random.isOneIn(6) ? random.below(6) : undefined
  const start: Happening = { do: "start", policy: random.below(policies.length), dies }
  return random.isOneIn(8)
    ? []
    : dies === undefined
      ? [start]
      : [start, { ...start, dies: undefined }]
}
