import assert from "node:assert/strict"
import { hostname } from "node:os"
import { describe, it, type TestContext } from "node:test"

import { messageOf, testMessage } from "../../../../src/gate/notify/message.ts"
import { postMessage } from "../../../../src/gate/notify/post-message.ts"
import { alarm } from "../../../../src/link/views/alarms.ts"
import { startWebhook, webhookSecret } from "../../../support/webhook.ts"

async function webhookFor(t: TestContext) {
  const webhook = await startWebhook()
  t.after(() => webhook.close())
  return webhook
}

const spent = alarm("limit_spent", {
  subject: "mm/few",
  fact: "The limit mm/few is spent",
  advice: "countersign limits raise gives more",
})

describe("a message", () => {
  it("says what came, where, when, and what to do", () => {
    assert.deepEqual(messageOf({ state: "raised", alarm: spent }, 1_000), {
      source: "countersign",
      alarm: "limit_spent",
      subject: "mm/few",
      state: "raised",
      severity: "critical",
      text: `${hostname()}: The limit mm/few is spent; countersign limits raise gives more.`,
      at: "1970-01-01T00:00:01.000Z",
      host: hostname(),
    })
  })

  it("asks nobody to do anything about what is over", () => {
    const { state, text } = messageOf({ state: "cleared", alarm: spent }, 0)
    assert.equal(state, "cleared")
    assert.equal(text, `${hostname()}: Over: The limit mm/few is spent.`)
  })
})

describe("posting a message", () => {
  it("sends it as JSON to the very address, and tells the status", async (t) => {
    const webhook = await webhookFor(t)
    const message = testMessage(0, "a test")
    assert.deepEqual(await postMessage(webhook.url, message), { kind: "answered", status: 204 })
    const [heard] = webhook.heard
    assert.equal(heard?.url, `/hooks/${webhookSecret}?id=1`)
    assert.equal(heard.headers["content-type"], "application/json")
    assert.deepEqual(heard.message, message)
  })

  it("follows no redirect", async (t) => {
    const webhook = await webhookFor(t)
    const other = await webhookFor(t)
    webhook.answer(307, { location: other.url })
    const posted = await postMessage(webhook.url, testMessage(0, "a test"))
    assert.deepEqual(posted, { kind: "answered", status: 307 })
    assert.deepEqual(other.heard, [])
  })

  it("ends when it is told to, whatever the webhook does", async (t) => {
    const webhook = await webhookFor(t)
    webhook.answer("silent")
    const stopping = new AbortController()
    const posting = postMessage(webhook.url, testMessage(0, "a test"), stopping.signal)
    await webhook.message("test")
    stopping.abort()
    assert.equal((await posting).kind, "failed")
  })

  it("tells why nobody answered, and not the address", async () => {
    const webhook = await startWebhook()
    await webhook.close()
    const posted = await postMessage(webhook.url, testMessage(0, "a test"))
    assert.deepEqual(posted, { kind: "failed", code: "ECONNREFUSED" })
    for (const url of ["http://127.0.0.1:99999/x", "https://", "no address"]) {
      assert.equal((await postMessage(url, testMessage(0, "a test"))).kind, "failed", url)
    }
  })
})
