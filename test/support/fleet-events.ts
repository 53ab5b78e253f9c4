import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import type { CrashOrder } from "./crash-at.ts"
import type { FleetHost } from "./fleet-host.ts"
import { partings } from "./fleet-network.ts"
import { maxClockMs, type Fleet } from "./crash-fleet.ts"
import { until } from "./process-tree.ts"
import type { SeededRandom } from "./seeded-random.ts"
import type { Signings } from "./signings.ts"

/**
 * What happens to a fleet: how often in a short run and how many times as often in a run that is `times` as long, and why
 * all of its hosts may be silent for longer than a second after it; else they mayn't.
 */
export const fleetEvents = {
  nothing: { share: 1 },
  kill: { share: 8 },
  clock: { share: 1 },
  "wrong clock": { share: 0.5 },
  stop: { share: 1, why: "the turn of a host that doesn't answer is waited for, a second" },
  partition: { share: 1, why: "the turn of a host that isn't reached is waited for, a second" },
  isolated: { share: 0.5, why: "the turn of a host that isn't reached is waited for, a second" },
  relay: { share: 1 },
  terminate: { share: 0.5, why: "of the standby's session: commits wait until it is back" },
  cancel: { share: 0.5, why: "of the standby's session: commits wait until it is back" },
  standby: { share: 1, why: "commits wait for the standby" },
  primary: { share: 0.5, why: "no server takes commits" },
  failover: { share: 1.5, why: "no server takes commits, and then they wait for the new standby" },
} as const satisfies Readonly<Record<string, { readonly share: number; readonly why?: string }>>
export type FleetEvent = keyof typeof fleetEvents

/** When it came, to which host if to one, and what it was; of an outage, when commits were taken again. */
export type Happened = {
  readonly atMs: number
  readonly host?: FleetHost
  readonly what: string
  readonly backMs?: number
}

export type Around = Fleet & { readonly random: SeededRandom; readonly signings: Signings }

/** Has it happen, and mends what doesn't mend itself. Vaults that end by it are started again. */
export const happen: Readonly<Record<FleetEvent, (around: Around) => Promise<Happened>>> = {
  nothing,
  kill,
  clock,
  "wrong clock": wrongClock,
  stop,
  partition,
  isolated,
  relay,
  terminate: (around) => disturb(around, "pg_terminate_backend", 1),
  cancel: (around) => disturb(around, "pg_cancel_backend", 40),
  standby,
  primary,
  failover,
}

/** Resolves once every host has signed once more. */
export async function allSign({ hosts, signings }: Pick<Around, "hosts" | "signings">) {
  await Promise.all(hosts.map((host) => signs(host, signings)))
}

/** Four times what a vault takes to start on a busy machine. */
const longestStartMs = 120_000

/** A start takes as long as the machine makes it; from there on a host has to sign soon. */
async function signs(host: FleetHost, signings: Signings): Promise<void> {
  const endMs = performance.now() + longestStartMs
  while (!(await isReady(host))) {
    if (performance.now() > endMs) throw new Error(`waited in vain until host ${host.name} starts`)
    await sleep(5)
  }
  await signings.next(host.name)
}

async function isReady(host: FleetHost): Promise<boolean> {
  const { ended, started } = host.vault()
  const state = Promise.race([ended, started, sleep(1_000, "starting")])
  return (await state.catch(() => "ended")) === "ready"
}

/** What the others' silence is beside: as long as a killed vault takes to start again. */
async function nothing({ random, hosts }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const atMs = performance.now()
  await sleep(1_000)
  return { atMs, host, what: "nothing" }
}

/** Where a vault is killed, besides at any time: after a stage, while it starts, or once a bot has its answer. */
const points = [
  ...["parsed", "judged", "taken", "followed", "reserved", "written", "sealed", "replicated"],
  ...["committed", "durable", "signed", "given", "answered", "sent", "told", "starting", "any"],
] as const

/** A vault that isn't where it is to be killed by then is killed anyway. */
const longestLifeMs = 10_000

async function kill(around: Around): Promise<Happened> {
  const { random, hosts, signings } = around
  const host = random.pick(hosts)
  const point = random.pick(points)
  if (point === "starting") {
    host.vault().kill()
    await nextVault(host, host.vault())
    await sleep(random.below(500))
  }
  const vault = host.vault()
  const count = 1 + random.below(40)
  if (point === "told") await signings.next(host.name)
  if (point === "any") await sleep(random.below(150))
  if (point === "told" || point === "any" || point === "starting") vault.kill()
  else if (point === "sent") host.gate.child.send({ stage: point, count, pid: vault.pid })
  else vault.crashAt({ stage: point, count })
  const late = setTimeout(() => vault.kill(), longestLifeMs)
  await vault.ended
  clearTimeout(late)
  host.gate.child.send(noOrder) // where the vault ended before: its number may be another's soon
  return { atMs: performance.now(), host, what: `${host.name} killed at ${point}` }
}

const noOrder = { stage: "none", count: 0, pid: 0 } satisfies CrashOrder

async function nextVault(host: FleetHost, last: unknown): Promise<void> {
  while (host.vault() === last) await sleep(5)
}

async function clock({ random, hosts }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const ms = random.below(2 * maxClockMs) - maxClockMs
  host.setBack(ms)
  host.vault().kill()
  await host.vault().ended
  return { atMs: performance.now(), host, what: `${host.name} started ${ms} ms back` }
}

/** A host whose clock is further off than it may be signs nothing. */
async function wrongClock({ random, hosts, signings }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const offMs = 1_000 + random.below(2_000)
  const backMs = random.isOneIn(2) ? offMs : -offMs
  const atMs = performance.now()
  host.setBack(backMs)
  host.vault().kill()
  await host.vault().ended
  await sleep(longestEndMs) // what it had given out by then has come
  const before = signings.count(host.name)
  await sleep(1_000 + random.below(2_000))
  assert.equal(signings.count(host.name), before, `${host.name} signs ${backMs} ms back`)
  host.setBack(0)
  host.vault().kill()
  await host.vault().ended
  return { atMs, host, what: `${host.name} ${backMs} ms back for a while` }
}

async function stop({ random, hosts }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const vault = host.vault()
  const ms = 1_000 + random.below(9_000)
  vault.kill("SIGSTOP")
  const atMs = performance.now()
  await sleep(ms)
  vault.kill("SIGCONT")
  await Promise.race([vault.ended, sleep(longestEndMs)])
  return { atMs, host, what: `${host.name} stopped for ${ms} ms` }
}

/** A vault that goes on for so long goes on for good. */
const longestEndMs = 500

async function partition({ random, hosts }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const how = random.pick(partings)
  const vault = host.vault()
  const ms = 500 + random.below(5_500)
  const atMs = performance.now()
  await host.part(how)
  await sleep(ms)
  await host.mend()
  await Promise.race([vault.ended, sleep(longestEndMs)])
  return { atMs, host, what: `${host.name}'s network ${how} for ${ms} ms` }
}

/** Where a vault is killed while it signs cancels by itself. */
const isolatedPoints = ["reserved", "written", "committed", "durable", "signed", "given"] as const

/**
 * For so long that it signs cancels by itself. It may be killed while it does, and while it tells of them once it reaches
 * PostgreSQL again.
 */
async function isolated({ random, hosts, signings }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const how = random.pick(partings.filter((each) => each !== "slow"))
  const before = host.vault()
  const file = join(host.site.dir, "isolated.db")
  const atMs = performance.now()
  await host.part(how)
  await nextVault(host, before)
  // Until then, what comes from there is what the last vault gave out.
  await until(() => existsSync(file) || undefined, `${host.name} is isolated`)
  await signs(host, signings)
  const point = random.isOneIn(2) ? random.pick(isolatedPoints) : undefined
  if (point !== undefined) {
    const alone = host.vault()
    alone.crashAt({ stage: point, count: 1 + random.below(3) })
    await Promise.race([alone.ended, sleep(longestEndMs)])
    await signs(host, signings)
  }
  await sleep(random.below(3_000))
  const alone = host.vault()
  await host.mend()
  // One that was killed, and starts only now, is never isolated, and goes on.
  await until(
    () => host.vault() !== alone || !existsSync(file) || undefined,
    `${host.name} is back`,
  )
  const isKilled = random.isOneIn(2)
  if (isKilled) await sleep(random.below(1_500))
  if (isKilled) host.vault().kill()
  await until(() => (existsSync(file) ? undefined : true), `${host.name} has told what it signed`)
  const killed = `${point === undefined ? "" : `, killed at ${point}`}${isKilled ? ", killed as it tells" : ""}`
  return { atMs, host, what: `${host.name} isolated, its network ${how}${killed}` }
}

async function relay({ random, hosts }: Around): Promise<Happened> {
  const host = random.pick(hosts)
  const vault = host.vault()
  const atMs = performance.now()
  await host.cutRelay()
  await vault.ended
  await sleep(random.below(500))
  host.startRelay()
  return { atMs, host, what: `${host.name}'s relay cut` }
}

/** Of a session of a host's, or of the standby's. */
async function disturb(around: Around, by: string, times: number): Promise<Happened> {
  const { random, hosts, servers } = around
  const primary = servers.primary()
  const found = await primary.ask(`SELECT pid, application_name FROM pg_stat_activity
    WHERE backend_type IN ('client backend', 'walsender') AND pid <> pg_backend_pid() ORDER BY 2`)
  const [pid, name = ""] = random.pick(found.split("\n")).split("|")
  const host = hosts.find((each) => name === `countersign ${each.name}`)
  const vault = host?.vault()
  const atMs = performance.now()
  await primary.ask(`DO $$ BEGIN
    FOR i IN 1..${times} LOOP PERFORM ${by}(${pid}), pg_sleep(0.007); END LOOP;
  END $$`)
  await Promise.race([vault?.ended, sleep(longestEndMs)])
  return { atMs, ...(host && { host }), what: `${by} of ${name}` }
}

/** Gone, or it stands still. */
async function standby({ random, servers }: Around): Promise<Happened> {
  const standby = servers.standby()
  const isKilled = random.isOneIn(2)
  const ms = 200 + random.below(2_500)
  const atMs = performance.now()
  if (isKilled) await standby.kill()
  else standby.pause()
  await sleep(ms)
  if (isKilled) await standby.start()
  else standby.goOn()
  const what = `standby ${isKilled ? "away" : "stopped"} for ${ms} ms`
  return { atMs, what, backMs: await commitsAgain(servers) }
}

async function primary({ random, servers }: Around): Promise<Happened> {
  const atMs = performance.now()
  await servers.primary().kill()
  const ms = random.below(1_500)
  await sleep(ms)
  await servers.primary().start()
  return { atMs, what: `primary away for ${ms} ms`, backMs: await commitsAgain(servers) }
}

async function failover({ hosts, servers }: Around): Promise<Happened> {
  const atMs = performance.now()
  await servers.primary().kill()
  await Promise.all(hosts.map((host) => host.cutRelay()))
  await servers.promote()
  for (const host of hosts) host.startRelay()
  return { atMs, what: "failover", backMs: await commitsAgain(servers) }
}

/** Resolves with when a commit of somebody else got through. */
function commitsAgain(servers: Around["servers"]): Promise<number> {
  const commit = () => servers.primary().ask("SELECT pg_logical_emit_message(true, 'again', '')")
  const through = () => performance.now()
  return until(() => commit().then(through, () => undefined), "commits are taken")
}
