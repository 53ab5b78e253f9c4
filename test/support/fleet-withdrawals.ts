import { readFileSync } from "node:fs"
import { setImmediate as turned } from "node:timers/promises"

import { dialAdmin } from "../../src/commands/installation/admin.ts"
import type { AdminParams, AdminResults } from "../../src/link/calls/methods.ts"
import type { FreezeView } from "../../src/link/calls/both-ways.ts"
import { Fault } from "../../src/std/fault.ts"
import { wasChanged } from "../../src/vault/ledger/bindings.ts"
import type { Fleet } from "./crash-fleet.ts"
import type { CrashVault } from "./crash-site.ts"
import type { Asked, Bot, Bots } from "./fleet-bots.ts"
import type { FleetHost } from "./fleet-host.ts"
import { until } from "./process-tree.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** What takes something away from bots, after whose answer nothing of it may come out of any host. */
export const withdrawals = [
  ...["freeze of all", "freeze of a client", "freeze of a key"],
  ...["panic", "new token", "revoked client", "key taken from a client"],
] as const
export type Withdrawal = (typeof withdrawals)[number]

export type Call = <Method extends keyof AdminParams>(
  method: Method,
  params: AdminParams[Method],
) => Promise<AdminResults[Method]>

/** Asks a host what only its operator may. */
export function callOf({ site: { dir } }: FleetHost): Call {
  return async (method, params) => {
    const link = await dialAdmin({ configDir: dir, stateDir: dir }, "a drill")
    if (link === undefined) throw new Error("no vault runs there")
    try {
      return await link.call(method, params)
    } finally {
      link.close()
    }
  }
}

type Around = { readonly bots: Bots; readonly random: SeededRandom; readonly fleet: Fleet }

/** Whom it is for, and what ends it or goes on instead. */
type Withdrawn = {
  readonly isOf: (asked: Asked) => boolean
  readonly act: (call: Call) => Promise<unknown>
  readonly mend: (call: Call) => Promise<unknown>
}

const reason = "a drill"
const everybody = { scope: "all", name: null } as const

/** What is to be done of a kind, to a client and a key of chance. */
export function withdrawn(kind: Withdrawal, { bots, random }: Around): Withdrawn {
  const bot = random.pick(bots.clients)
  const key = random.pick(bot.keys)
  const frozen = (of: { scope: "all" | "client" | "key"; name: string | null }) => ({
    act: (call: Call) => call("freeze", { ...of, reason, cancels: false }),
    mend: async (call: Call) => {
      const { freezes } = await call("status", {})
      const isOf = (each: FreezeView) => each.scope === of.scope && each.name === of.name
      const shown = freezes.filter(isOf)
      if (shown.length === 0) throw new OneBehind()
      return call("thaw", { freezes: shown })
    },
  })
  const isOfClient = ({ client }: Asked): boolean => client === bot.name
  const isOfKey = (asked: Asked): boolean => asked.key === key
  switch (kind) {
    case "freeze of all":
      return { isOf: () => true, ...frozen(everybody) }
    case "freeze of a client":
      return { isOf: isOfClient, ...frozen({ scope: "client", name: bot.name }) }
    case "freeze of a key":
      return { isOf: isOfKey, ...frozen({ scope: "key", name: key }) }
    case "panic":
      return {
        isOf: () => true,
        act: (call) => call("panic", { reason }),
        mend: frozen(everybody).mend,
      }
    case "new token":
      return { isOf: isOfClient, ...newToken(bot) }
    case "revoked client":
      return { isOf: isOfClient, ...revoked(bot, bots) }
    case "key taken from a client":
      return {
        isOf: (asked) => isOfClient(asked) && isOfKey(asked),
        act: (call) =>
          call("setClient", { name: bot.name, keys: bot.keys.filter((name) => name !== key) }),
        mend: (call) => call("setClient", { name: bot.name, keys: [...bot.keys] }),
      }
  }
}

/** Its bots go on with the old one until that has been seen to be worth nothing. */
function newToken(bot: Bot): Pick<Withdrawn, "act" | "mend"> {
  let token = bot.token
  return {
    async act(call) {
      ;({ token } = await call("rotateToken", { name: bot.name }))
    },
    mend: () => {
      bot.token = token
      return Promise.resolve()
    },
  }
}

function revoked(bot: Bot, { clients }: Bots): Pick<Withdrawn, "act" | "mend"> {
  return {
    act: (call) => call("revokeClient", { name: bot.name }),
    async mend(call) {
      const name = `${bot.name.replace(/-\d+$/, "")}-${(made += 1)}`
      const { keys } = bot
      const { token } = await call("addClient", {
        ...{ name, keys: [...keys], rights: [], allowTypeB: false },
      })
      const index = clients.indexOf(bot)
      ;(clients as Bot[])[index] = { name, token, keys }
    },
  }
}

let made = 0

/** What happens to another host while something is withdrawn. */
export const troubles = [
  ...["none", "stopped", "stopped as it answers", "session broken", "relay killed"],
] as const
export type Trouble = (typeof troubles)[number]

/** Brings it about, and resolves with what ends it. */
export async function troubled(
  trouble: Trouble,
  host: FleetHost,
  { fleet: { servers } }: Pick<Around, "fleet">,
): Promise<() => Promise<void>> {
  const vault = host.vault()
  switch (trouble) {
    case "none":
      return () => Promise.resolve()
    case "stopped":
    case "stopped as it answers":
      if (trouble === "stopped") vault.kill("SIGSTOP")
      else await stopAsItAnswers(vault)
      return () => {
        vault.kill("SIGCONT")
        return Promise.resolve()
      }
    case "session broken":
      await servers.primary().ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'countersign ${host.name}'`)
      return () => Promise.resolve()
    case "relay killed":
      await host.cutRelay()
      return () => {
        host.startRelay()
        return Promise.resolve()
      }
  }
}

/** After its last look at the time, so that it gives out something once it goes on. */
async function stopAsItAnswers(vault: CrashVault): Promise<void> {
  vault.crashAt({ stage: "durable", count: 1, signal: "SIGSTOP" })
  const isStopped = (): true | undefined =>
    /^State:\tT/m.test(readFileSync(`/proc/${vault.pid}/status`, "utf8")) || undefined
  await until(isStopped, "a host stands still")
}

/** Has a host act once it knows what it is about, and how that is: within a second it follows what another did. */
export async function onceFollowed(act: () => Promise<unknown>): Promise<void> {
  const acted = (): Promise<true | undefined> =>
    act().then(
      () => true,
      (error: unknown) => {
        if (isOfOneBehind(error)) return undefined
        throw error
      },
    )
  await until(acted, "a host has followed")
}

/** A host hasn't heard yet of what is to be mended. */
class OneBehind extends Error {}

function isOfOneBehind(error: unknown): boolean {
  if (error instanceof OneBehind) return true
  return wasChanged(error) || (error instanceof Fault && error.code === "name_unknown")
}

/** Has the host act, and resolves with how long its answer took, once all that came before it is read here. */
export async function answeredMs(host: FleetHost, act: Withdrawn["act"]): Promise<number> {
  let askedMs = 0
  await onceFollowed(() => {
    askedMs = performance.now()
    return act(callOf(host))
  })
  const tookMs = performance.now() - askedMs
  // What other sockets had by then is read within the turn of the event loop after this one.
  await turned()
  await turned()
  return tookMs
}
