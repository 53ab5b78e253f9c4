import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import type { Socket } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { RecordView } from "../../src/contract/bot-views.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { childRunning, killAllNaming, processesBelow, until } from "../support/process-tree.ts"
import { httpText, startRawVenue, type RawVenue } from "../support/raw-venue.ts"
import { readLedger } from "../support/read-ledger.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const path = "/v1/trade/orders"
const yes = httpText('{"code":"0","msg":"","data":{"order_id":"1"},"trace_code":""}')
const busy = httpText('{"code":"10029","msg":"","data":{}}', "429 Too Many Requests")
const no = httpText('{"code":"10012","msg":"no","data":{},"trace_code":""}', "400 Bad Request")

describe("an order with an idempotency key", { timeout: 240_000 }, () => {
  let installation: TemporaryInstallation
  let venue: RawVenue
  let daemon: Served
  let token = ""
  let byId = ""
  const closers: (() => void)[] = []
  /** What the venue does with the next requests, the last one for all that follow. */
  let plan: ((socket: Socket) => void)[] = []

  before(async () => {
    venue = await startRawVenue(
      { after: (close) => closers.push(close as () => void) },
      {
        onRequest: (socket) => {
          const answer = plan.length > 1 ? plan.shift() : plan[0]
          answer?.(socket)
        },
      },
    )
    const keystore = ["--venue", "sandbox", "--upstream", venue.base]
    installation = await makeInstallation(keystore)
    // Long enough for any number of restarts on a slow machine.
    appendFileSync(join(installation.dir, "countersign.yaml"), "expires_in: {trade: 5m}\n")
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    const options = ["--keys", "mm", "--idempotency", "client-order-id"]
    byId = await addClient(installation.dir, "by-id", options)
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    for (const close of closers) close()
  })

  const client = (of = token): Bot => bot(daemon.url, of)
  const place = (key: string, changes = {}): Promise<Answer> =>
    client().post(path, limitOrder(changes), { "Idempotency-Key": key })

  const answering =
    (text: string) =>
    (socket: Socket): void =>
      void socket.write(text)
  const drop = (socket: Socket): void => void socket.destroy()

  /** The bodies that reached the venue since the last look, by their nonces. */
  const looked: number[] = []
  function newBodies(): readonly string[] {
    const fresh = venue.received.flatMap((text, connection) => {
      const bodies = [...text.matchAll(/\r\n\r\n(\{[^\r]*\})(?=POST|$)/g)].map(
        ([, body = ""]) => body,
      )
      const earlier = looked[connection] ?? 0
      looked[connection] = bodies.length
      return bodies.slice(earlier)
    })
    return fresh.toSorted((a, b) => nonceOf(a) - nonceOf(b))
  }

  async function recordOf(key: string): Promise<RecordView> {
    const { json } = await client().get(`/records?idempotency_key=${key}`)
    const { records } = json.data as { records: readonly RecordView[] }
    assert.equal(records.length, 1)
    return records[0]!
  }

  function stateOf(key: string, state: string): Promise<RecordView> {
    return until(async () => {
      const record = await recordOf(key)
      return record.state === state ? record : undefined
    }, `${key} is ${state}`)
  }

  async function untilReady(): Promise<void> {
    const ready = async () => {
      const response = await fetch(`${daemon.url}/readyz`).catch(() => undefined)
      return response?.status === 200 ? true : undefined
    }
    await until(ready, "it is ready")
  }

  it("is signed once and sent once when it is asked for 50 times at once", async () => {
    plan = [answering(yes)]
    const answers = await Promise.all(Array.from({ length: 50 }, () => place("at-once")))
    for (const { status, json } of answers) assert.deepEqual([status, json.code], [200, "0"])
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    const repeats = answers.filter(({ headers }) => headers.get("Countersign-Repeat") === "1")
    assert.equal(repeats.length, 49)
    assert.equal(newBodies().length, 1)
    const records = new Set(answers.map(({ headers }) => headers.get("Countersign-Record")))
    assert.deepEqual([...records], [(await recordOf("at-once")).id])
  })

  it("is answered again as the venue answered, and another body is a conflict", async () => {
    const { id } = await stateOf("at-once", "accepted")
    const again = await place("at-once")
    assert.deepEqual([again.status, again.json.data], [200, { order_id: "1" }])
    assert.equal(again.headers.get("Countersign-Source"), "venue")
    assert.equal(again.headers.get("Countersign-Repeat"), "1")
    const other = await place("at-once", { quantity: "0.2" })
    assert.deepEqual([other.status, other.json.code], [409, "idempotency_conflict"])
    assert.deepEqual(other.json.data, { record: id })
    assert.deepEqual(newBodies(), [])
  })

  it("is refused as the venue refused it, again and again", async () => {
    plan = [answering(no)]
    assert.equal((await place("refused")).json.code, "10012")
    await stateOf("refused", "refused")
    plan = [answering(yes)]
    assert.deepEqual((await place("refused")).json.code, "10012")
    assert.equal(newBodies().length, 1)
  })

  it("is sent again byte for byte after the venue's 429, and accepted then", async () => {
    plan = [answering(busy), answering(busy), answering(yes)]
    const bodies: string[] = []
    for (const [status, code, state] of [
      [429, "10029", "signed"],
      [429, "10029", "signed"],
      [200, "0", "accepted"],
    ] as const) {
      const before = bodies.length
      // Until what became of the last sending is recorded, a repeat is answered as that was.
      const answer = await until(async () => {
        const answered = await place("busy")
        bodies.push(...newBodies())
        return bodies.length > before ? answered : undefined
      }, "it is sent again")
      assert.deepEqual([answer.status, answer.json.code], [status, code])
      assert.equal(answer.headers.get("Countersign-Source"), "venue")
      await stateOf("busy", state)
    }
    assert.equal(bodies.length, 3)
    assert.equal(new Set(bodies).size, 1)
  })

  it("is sent again byte for byte after the answer was lost, and accepted then", async () => {
    plan = [drop, answering(yes)]
    const lost = await place("dropped")
    assert.deepEqual([lost.status, lost.json.code], [504, "upstream_outcome_unknown"])
    await stateOf("dropped", "unknown")
    const again = await place("dropped")
    assert.deepEqual([again.status, again.headers.get("Countersign-Repeat")], [200, "1"])
    await stateOf("dropped", "accepted")
    const bodies = newBodies()
    assert.equal(bodies.length, 2)
    assert.equal(new Set(bodies).size, 1)
  })

  it("stays unknown when the venue refuses it the second time", async () => {
    plan = [drop, answering(no)]
    await place("stays-unknown")
    const again = await place("stays-unknown")
    assert.deepEqual([again.status, again.json.code], [504, "upstream_outcome_unknown"])
    assert.deepEqual(again.json.data["venue"], { status: 400, code: "10012" })
    // Were the refusal believed, it would be by the time that the next word is recorded.
    assert.equal((await place("stays-unknown")).status, 504)
    assert.equal((await recordOf("stays-unknown")).state, "unknown")
    assert.equal(newBodies().length, 3)
  })

  it("is sent again after the gate was killed while it waited, and stays unknown when refused", async () => {
    plan = [() => undefined, answering(no)]
    const waiting = place("gate-killed").catch(() => undefined)
    await until(() => (newBodies().length === 1 ? true : undefined), "the venue has it")
    const gate = await childRunning(daemon.pid, "gate/main")
    process.kill(gate.pid, "SIGKILL")
    assert.equal(await waiting, undefined)
    await untilReady()
    const again = await place("gate-killed")
    assert.deepEqual([again.status, again.json.code], [504, "upstream_outcome_unknown"])
    await stateOf("gate-killed", "unknown")
    assert.equal(newBodies().length, 1)
  })

  it("keeps its answer, its nonce and its text when all of the daemon is killed", async () => {
    plan = [answering(yes), drop]
    await place("known")
    await stateOf("known", "accepted")
    await place("unknown")
    const [known, first] = newBodies()
    assert.ok(known !== undefined && first !== undefined)
    const signed = await client().post(`/sign${path}`, limitOrder(), {
      "Idempotency-Key": "signed",
    })

    const below = processesBelow(daemon.pid)
    for (const pid of [daemon.pid, ...below.map((each) => each.pid)]) process.kill(pid, "SIGKILL")
    await daemon.ended
    daemon = await serve(installation.dir)

    plan = [answering(yes)]
    assert.deepEqual((await place("known")).json.data, { order_id: "1" })
    assert.deepEqual(newBodies(), [])
    assert.equal((await place("unknown")).status, 200)
    assert.deepEqual(newBodies(), [first])
    const again = await client().post(`/sign${path}`, limitOrder(), { "Idempotency-Key": "signed" })
    assert.deepEqual([again.status, again.text], [200, signed.text])
    assert.equal(again.headers.get("Countersign-Repeat"), "1")
  })

  it("can be known by its client_order_id, for a client that was added so", async () => {
    plan = [answering(yes)]
    const order = limitOrder({ client_order_id: "q-1" })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client(byId).post(path, order)),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.equal(newBodies().length, 1)
    const other = await client(byId).post(path, { ...order, price: "62000" })
    assert.deepEqual([other.status, other.json.code], [409, "idempotency_conflict"])

    const { json } = await client(byId).get("/records?client_order_id=q-1")
    const { records } = json.data as { records: readonly RecordView[] }
    assert.deepEqual(
      records.map(({ client_order_id: id, state }) => [id, state]),
      [["q-1", "accepted"]],
    )
    const foreign = await client().get("/records?client_order_id=q-1")
    assert.deepEqual(foreign.json.data, { records: [] })
  })

  it("has one record and one nonce in the ledger", async () => {
    assert.equal(await daemon.stop(), 0)
    const requests = readLedger(join(installation.dir, "ledger.db")).filter(
      ({ kind, row }) => kind === "request" && row["idempotency"] !== undefined,
    )
    const keys = requests.map(({ row }) => {
      const { by, key } = row["idempotency"] as { readonly by: string; readonly key: string }
      return `${String(row["client"])} ${by} ${key}`
    })
    assert.equal(new Set(keys).size, keys.length)
    assert.equal(new Set(requests.map(({ row }) => row["nonce"])).size, keys.length)
  })
})

function nonceOf(body: string): number {
  return (JSON.parse(body) as { readonly nonce: number }).nonce
}
