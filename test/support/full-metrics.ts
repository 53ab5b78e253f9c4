import { join } from "node:path"

import { fleetFamilies } from "../../src/conditions/vault-families.ts"
import { createGateServer, portOf } from "../../src/gate/gate-server.ts"
import { hostsByPort } from "../../src/gate/http/admit.ts"
import { exposition, openGateMetrics } from "../../src/gate/http/metrics.ts"
import { botParams, type BotResults } from "../../src/link/calls/methods.ts"
import { connectBotLink } from "../../src/contract/client.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { serveLink } from "../../src/link/server.ts"
import { FleetWatch } from "../../src/vault/ledger/postgres/fleet-watch.ts"
import { askHttp } from "./gate.ts"
import { guardedAccount, guardedWallet } from "./guarded-account.ts"
import { nothing } from "./guarded-vault.ts"
import { limitOrder, openTestVault } from "./open-test-vault.ts"

const limited = `policy: mm
rules:
  - {name: all, endpoints: [placeOrder]}
limits:
  - {name: hourly, count: requests, window: 1h, max: "100", per: client}
guards: [{name: few, max_open_orders: 9, drawdown: {max: "1"}}]
`

/** The text of `/metrics`, of a real gate before a real vault that has something to tell of everything; and what a vault among several has besides. */
export async function fullMetrics(): Promise<string> {
  const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date() })}${guardedAccount}`
  const test = await openTestVault({ policies: [limited], settings: "budgets: {}\n", venue })
  const path = join(test.installation.stateDir, "bot.sock")
  const vault = await serveLink<typeof botParams, BotResults>({
    ...{ path, params: botParams, methods: test.bots },
    onError: () => undefined,
  })
  const link = connectBotLink(path)
  const gate = createGateServer({
    ...{ link, metrics: openGateMetrics(), clock: Date.now },
    settings: { current: { upstream: undefined, hosts: hostsByPort([]) } },
    log: () => undefined,
    logsRequests: true,
  })
  const http = gate.open()
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  try {
    await test.addKey({ name: "main", role: "wallet", secret: guardedWallet.secret })
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const approved = { name: "mm", expires_at: Date.now() + 86_400_000, record: "rec_1" }
    await test.vault.act({ act: "agent_approved", ...approved })
    const client = {
      name: "bot",
      keys: ["mm"],
      rights: ["metrics"],
      expiresInMs: 86_400_000,
    } as const
    const token = await test.addClient(client)
    await test.addKey({ name: "old", role: "agent", wallet: "main" })
    await test.addClient({ name: "keyless", keys: ["old"] })
    await test.vault.act({ act: "agent_revoked", name: "old", record: "rec_1" })
    const headers = { authorization: `Bearer ${token}` }
    const { round } = await test.bots.accountPoll()
    await test.bots.polledAccount({ ticket: round?.ticket ?? "", reading: nothing })
    const lost = { account: guardedWallet.address, guard: "mm/few", bounds: "drawdown" } as const
    const tripped = { ...lost, since: 1, until: null, max: null, froze: false, lost: "2" }
    await test.sign(token, limitOrder())
    await test.vault.act({ act: "guard_tripped", ...tripped })
    await askHttp(portOf(http), { path: "/whoami", headers })
    await test.admin.freeze({ scope: "key", name: "main", reason: "a drill", cancels: true })
    await test.vault.disk.look()
    const { text } = await askHttp(portOf(http), { path: "/metrics", headers })
    return `${text}${exposition(fleetFamilies(new FleetWatch(["b"]).read(1)))}`
  } finally {
    await gate.stop()
    link.close()
    await vault.close()
    await test.remove()
  }
}

export type WrittenMetric = {
  readonly name: string
  readonly type: string
  /** In the order of the alphabet, without the `le` of buckets. */
  readonly labels: readonly string[]
}

/** What a text of Prometheus' format holds, by name. */
export function metricsIn(text: string): ReadonlyMap<string, WrittenMetric> {
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)]
  return new Map(
    types.map(([, name = "", type = ""]) => {
      const first = type === "histogram" ? `${name}_count` : name
      const braced = new RegExp(`^${first}(?:\\{(.*)\\})? `, "m").exec(text)?.[1] ?? ""
      const labels = [...braced.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)
      return [name, { name, type, labels: labels.sort() }]
    }),
  )
}

/** The metrics of ours that an expression of PromQL names; those of a histogram without their suffix. */
export function metricsNamedIn(expression: string): readonly string[] {
  const names = [...expression.matchAll(/\bcountersign_\w+/g)].map(([name]) => name)
  return names.map((name) => name.replace(/(?<=_(?:seconds|entries))_(?:bucket|sum|count)$/, ""))
}
