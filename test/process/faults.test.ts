import assert from "node:assert/strict"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { createGateServer, portOf } from "../../src/gate/gate-server.ts"
import { hostsByPort } from "../../src/gate/http/admit.ts"
import { openGateMetrics } from "../../src/gate/http/metrics.ts"
import type { GateSettings } from "../../src/gate/settings.ts"
import { botParams, type BotResults } from "../../src/link/calls/methods.ts"
import { connectBotLink } from "../../src/contract/client.ts"
import { serveLink } from "../../src/link/server.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { ledgerTime } from "../support/fake-clock.ts"
import { startFaultyVenue, usedNonceCode, type FaultyVenue } from "../support/faulty-venue.ts"
import { askHttp, testUpstream, type HttpReply } from "../support/gate.ts"
import {
  limitOrder,
  openTestVault,
  ordersPath,
  type TestVault,
} from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts"
import { recordView } from "../../src/vault/status/views.ts"

const hourMs = 3_600_000

/** The first limit never gives back, the second what the venue refused at the only send. */
const policy = `policy: counted
rules: [{name: orders, endpoints: [placeOrder]}]
limits:
  - {name: kept, count: requests, window: 1h, max: "100000"}
  - {name: freed, count: requests, window: 1h, max: "100000", release: refused}
`

/** Far longer than the test takes, so that every key is asked for again until its outcome is known. */
const settings = "expires_in: {trade: 10m}\nbudgets: {address: off, ip: off}\n"

const mostAsks = 5
const bots = 40

for (const { what, codes, faults, refusalsUseNonces } of [
  { what: "whose code for a used nonce isn't known", codes: "", faults: numRuns(400).numRuns },
  {
    what: "whose code for a used nonce means accepted",
    codes: `codes: {duplicate_nonce: "${usedNonceCode}"}\n`,
    faults: numRuns(100).numRuns,
    refusalsUseNonces: false,
  },
].map((each) => ({ refusalsUseNonces: true, ...each }))) {
  describe(`${faults} random faults of a venue ${what}`, { timeout: 1_000 * faults }, () => {
    it("place no order twice, are told as they are known, and count for as long as they must", async (t) => {
      const random = seededRandom(`faults/${what}`)
      const venue = await startFaultyVenue(t, { random, refusalsUseNonces })
      const test = await openTestVault({
        policies: [policy],
        venue: sandboxProfile({ url: sandboxUrl, asOf: new Date() }) + codes,
        settings,
        keys: "on_disk",
      })
      t.after(() => test.remove())
      await test.addKey({ name: "mm", role: "agent" })
      const token = await test.addClient({ name: "bot", keys: ["mm"] })
      const gate = await startGateAt(t, { test, venue, random })

      const told = new Map<string, HttpReply[]>()
      const isEnough = (): boolean => total(venue.faults) >= faults
      await Promise.all(
        Array.from({ length: bots }, async () => {
          while (!isEnough()) {
            const key = `k-${told.size + 1}`
            const replies: HttpReply[] = []
            told.set(key, replies)
            await askUntilKnown({ key, replies, port: gate.port, token, random })
            assertCounts(test, { least: venue.placed() })
          }
        }),
      )
      await gate.stop()
      assert.deepEqual(gate.broken, [])

      const states = new Map<string, string>()
      for (const [key, replies] of told) {
        const record = await recordOf(test, key)
        states.set(key, record.state)
        assertTrue(key, { replies, state: record.state, venue })
      }
      const count = (state: string): number =>
        [...states.values()].filter((each) => each === state).length
      const kept = told.size
      const freed = told.size - count("refused")
      assert.ok(freed >= venue.placed())
      const nowMs = Date.now()
      assert.deepEqual(usedAt(test, nowMs), { kept, freed })
      const again = await test.reopen()
      t.after(() => again.remove())
      // Expired or not, before a restart and after: what was signed counts until its hour is over.
      assert.deepEqual(usedAt(again, nowMs), { kept, freed })
      assert.deepEqual(usedAt(again, nowMs + hourMs / 2), { kept, freed })
      assert.deepEqual(usedAt(again, nowMs + 2 * hourMs), { kept: 0, freed: 0 })

      const names = ["accepted", "refused", "unknown", "sent", "signed"]
      const unsent = [...told.values()].flat().filter((reply) => meaningOf(reply) === "unsent")
      t.diagnostic(`keys used: ${told.size}, orders placed: ${venue.placed()}`)
      t.diagnostic(`asked while nobody listened: ${unsent.length}`)
      t.diagnostic(`records: ${names.map((name) => `${name} ${count(name)}`).join(", ")}`)
      const tally = [...venue.faults].sort().map(([name, times]) => `${name} ${times}`)
      t.diagnostic(`faults: ${total(venue.faults)}: ${tally.join("; ")}`)
    })
  })
}

type Site = {
  readonly test: TestVault
  readonly venue: FaultyVenue
  readonly random: SeededRandom
}

/** A gate before a vault's bot socket; now and then nobody listens where it finds the venue. */
async function startGateAt(t: TestContext, { test, venue, random }: Site) {
  const path = join(test.installation.stateDir, "bot.sock")
  /** What the gate and the vault couldn't do. */
  const broken: string[] = []
  const vault = await serveLink<typeof botParams, BotResults>({
    ...{ path, params: botParams, methods: test.bots },
    onError: (error) => broken.push(String(error)),
  })
  const limits = { upstreamTotalMs: 200 }
  const hosts = hostsByPort([])
  const there: GateSettings = { upstream: testUpstream(t, venue.base, limits), hosts }
  const nobody = `http://127.0.0.1:${await unusedPort()}`
  const away: GateSettings = { upstream: testUpstream(t, nobody, limits), hosts }
  const link = connectBotLink(path)
  const gate = createGateServer({
    ...{ link, limits, metrics: openGateMetrics(), clock: Date.now },
    settings: {
      get current() {
        return random.isOneIn(20) ? away : there
      },
    },
    logsRequests: true,
    log: ({ level, event }) => {
      if (level === "error") broken.push(event)
    },
  })
  const http = gate.open()
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
  const stop = async (): Promise<void> => {
    await gate.stop()
    link.close()
    await vault.close()
  }
  t.after(stop)
  return { port: portOf(http), stop, broken }
}

type Asking = {
  readonly key: string
  readonly replies: HttpReply[]
  readonly port: number
  readonly token: string
  readonly random: SeededRandom
}

/** Asks under one key, at times twice at once, until a clear yes or no has come, or a few times. */
async function askUntilKnown({ key, replies, port, token, random }: Asking): Promise<void> {
  const ask = async (): Promise<void> => {
    const reply = await askHttp(port, {
      method: "POST",
      path: ordersPath,
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
        "idempotency-key": key,
      },
      body: JSON.stringify(limitOrder({ client_order_id: key })),
    })
    replies.push(reply)
  }
  for (let asked = 0; asked < mostAsks && !replies.some(isClear); asked++) {
    await Promise.all(random.isOneIn(5) ? [ask(), ask()] : [ask()])
  }
}

type Meaning = "accepted" | "refused" | "put_off" | "unsent" | "unknown"

/** What a bot may take an answer for. Fails the test at one that isn't foreseen. */
function meaningOf({ status, headers, text }: HttpReply): Meaning {
  const code = codeIn(text)
  if (headers["countersign-source"] === "daemon") {
    return daemonMeanings[`${status} ${code}`] ?? assert.fail(`${status} ${text}`)
  }
  if (status === 429) return "put_off" // it wasn't processed, and is sent again as it is
  if (status >= 500 || code === "") return "unknown"
  return code === "0" ? "accepted" : "refused"
}

function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? ""
}

const daemonMeanings: Readonly<Record<string, Meaning>> = {
  "502 upstream_unreachable": "unsent",
  "504 upstream_outcome_unknown": "unknown",
  // Known by the code of a used nonce, so there is no answer to give again.
  "409 already_accepted": "accepted",
  // More repeats of this client's in a second than are written: nothing is known of this one yet.
  "503 overloaded": "put_off",
}

function isClear(reply: HttpReply): boolean {
  return ["accepted", "refused"].includes(meaningOf(reply))
}

/** What a bot was told of a key, and what was recorded, against what the venue did. */
function assertTrue(
  key: string,
  { replies, state, venue }: { replies: readonly HttpReply[]; state: string; venue: FaultyVenue },
): void {
  const { placed, received, bodies } = venue.order(key)
  assert.ok(placed <= 1, `${key} was placed ${placed} times`)
  assert.ok(bodies.size <= 1, `${key} was signed ${bodies.size} times`)
  const meanings = new Set(replies.map(meaningOf))
  if (state === "accepted") assert.equal(placed, 1, key)
  if (state === "refused") assert.equal(placed, 0, key)
  if (meanings.has("accepted")) assert.equal(state, "accepted", key)
  if (meanings.has("refused")) assert.equal(state, "refused", key)
  if (meanings.has("unknown")) assert.notEqual(state, "signed", key)
  if (meanings.size === 1 && meanings.has("unsent")) {
    assert.deepEqual([received, state], [0, "signed"], key)
  }
}

async function recordOf({ vault }: TestVault, value: string) {
  const search = { client: "bot", by: "idempotency_key", value } as const
  const records = await vault.ledger.records(search)
  assert.equal(records.length, 1)
  return recordView(records[0]!, ledgerTime(Date.now()))
}

function assertCounts(test: TestVault, { least }: { readonly least: number }): void {
  const { kept, freed } = usedAt(test, Date.now())
  assert.ok(kept >= least && freed >= least)
}

/** What of the two limits is used; the one that gives back is never the fuller. */
function usedAt({ vault }: TestVault, nowMs: number): { kept: number; freed: number } {
  const uses = vault.ledger.usage(ledgerTime(nowMs)).map(({ used }) => Number(used.coefficient))
  const [kept = 0, freed = 0] = uses.sort((a, b) => b - a)
  return { kept, freed }
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, each) => sum + each, 0)
}

async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
