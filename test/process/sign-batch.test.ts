import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { limitOrder } from "../support/bot.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { assertRefused, type HttpReply } from "../support/gate.ts"
import { fencedBlocks, readRepositoryFile, sectionOf } from "../support/markdown.ts"
import { assertSigned, readSignedBody } from "../support/signed-body.ts"

const ordersPath = "/v1/trade/orders"
const cancelPath = "/v1/trade/orders/cancel"
const section = sectionOf(readRepositoryFile("docs/http-api/sign-and-send.md"), "POST /sign/batch")

type Result = {
  readonly status: number
  readonly record: string | null
  readonly repeat: boolean
  readonly expires_after: number | null
  readonly body: string | null
  readonly error: { readonly code: string; readonly data: object } | null
}

function resultsIn(data: object): readonly Result[] {
  return (data as { readonly results: readonly Result[] }).results
}

describe("POST /sign/batch of a running daemon", { timeout: 240_000 }, () => {
  let daemon: BotDaemon
  const held: Result[] = []
  before(async () => {
    daemon = await startBotDaemon(["--venue", "sandbox"])
  })
  after(() => daemon.remove())

  const ask = (whole: string | object): Promise<HttpReply> => daemon.post("/sign/batch", whole)

  async function askAll(requests: readonly object[]): Promise<readonly Result[]> {
    const reply = await ask({ requests })
    assert.deepEqual([reply.status, reply.envelope.code], [200, "0"])
    const results = resultsIn(reply.envelope.data)
    assert.equal(results.length, requests.length)
    held.push(...results)
    return results
  }

  it("answers the example of docs/http-api/sign-and-send.md with what the page shows", async () => {
    const [command = ""] = fencedBlocks(section, "sh")
    const [shown = ""] = fencedBlocks(section, "json")
    const text = /-d '([^']*)'/.exec(command)?.[1] ?? ""
    const results = await askAll((JSON.parse(text) as { requests: object[] }).requests)
    const expected = resultsIn((JSON.parse(shown) as { readonly data: object }).data)
    const outline = (each: Result): object => ({
      members: Object.keys(each),
      status: each.status,
      repeat: each.repeat,
      code: each.error?.code,
      told: each.error && [Object.keys(each.error), Object.keys(each.error.data).toSorted()],
      signed: each.body && Object.keys(JSON.parse(each.body) as object),
    })
    assert.deepEqual(results.map(outline), expected.map(outline))
  })

  it("signs 100 requests of several operations and keys, verified by their signers", async () => {
    const { agent, wallet } = daemon.keys
    const requests = Array.from({ length: 100 }, (_, index) => {
      if (index % 10 === 7) return { path: cancelPath, body: { order_id: `${index}` } }
      const body = limitOrder({ client_order_id: `q-${index}` })
      return index % 10 === 3
        ? { path: ordersPath, body, key: "main" }
        : { path: ordersPath, body, idempotency_key: `k-${index}` }
    })
    const results = await askAll(requests)
    for (const [index, { status, body, expires_after: expiresAfter }] of results.entries()) {
      assert.ok(status === 200 && body !== null)
      const path = requests[index]?.path ?? ""
      const { address } = index % 10 === 3 ? wallet : agent
      assert.equal(assertSigned(path, body), address.toLowerCase(), `${index}`)
      const signed = readSignedBody(body)
      assert.equal(signed.expiresAfter, expiresAfter)
    }
  })

  it("repeats what was signed, in a batch or alone", async () => {
    const body = limitOrder({ client_order_id: "q-0" })
    const [again] = await askAll([{ path: ordersPath, body, idempotency_key: "k-0" }])
    const alone = await daemon.post(`/sign${ordersPath}`, body, { "Idempotency-Key": "k-0" })
    assert.deepEqual(
      [again?.repeat, again?.body, again?.record],
      [true, alone.text, alone.headers["countersign-record"]],
    )
  })

  it("refuses as a whole what is no batch, and who has no token", async () => {
    assertRefused(await ask('{"requests":['), 400, "invalid_json")
    assertRefused(await ask({ requests: [] }), 400, "invalid_request")
    const headers = { authorization: `Bearer cs_${"x".repeat(43)}` }
    const reply = await daemon.post("/sign/batch", { requests: [] }, headers)
    assertRefused(reply, 401, "unauthorized")
  })

  it("has a record in the ledger for each that it signed, and one nonce of its own", async () => {
    const requests = (await daemon.stop()).filter(({ kind }) => kind === "request")
    const signed = held.filter(({ status }) => status === 200)
    assert.deepEqual(
      new Set(signed.map(({ record }) => record)),
      new Set(requests.map(({ id }) => id)),
    )
    const nonces = requests.map(({ row }) => `${String(row["signer"])} ${String(row["nonce"])}`)
    assert.equal(new Set(nonces).size, requests.length)
  })
})
