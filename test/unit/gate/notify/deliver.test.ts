import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { deliver } from "../../../../src/gate/notify/deliver.ts"
import { messageOf, testMessage, type Message } from "../../../../src/gate/notify/message.ts"
import { alarm } from "../../../../src/contract/alarms.ts"
import type { KeptAlarm } from "../../../../src/gate/notify/alarm-log.ts"
import type { NotifyTarget } from "../../../../src/link/gate-settings.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"
import { startWebhook, webhookSecret } from "../../../support/webhook.ts"

const spent: KeptAlarm = {
  ...alarm("limit_spent", {
    subject: "mm/few",
    fact: "The limit mm/few is spent",
    advice: "countersign limits raise gives more",
  }),
  ...{ stands: true, at: 1_000 },
}
const raised = messageOf({ state: "raised", alarm: spent }, 61_000)
const odd: Message = { ...raised, text: "a <b> & c_d_e *f* `g` é…" }
const key = "k".repeat(32)

/** A receiver, and a target of that form whose files are there. */
async function receiver(t: TestContext, form: NotifyTarget["form"], query = "") {
  const webhook = await startWebhook()
  t.after(() => webhook.close())
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  const put = (name: string, text: string) => {
    writeFileSync(join(directory.path, name), text, { mode: 0o600 })
  }
  put("url", `http://127.0.0.1:${webhook.port}/hooks/${webhookSecret}${query}\n`)
  const target = { name: "desk", severity: "warning", form, url_file: "url" } as NotifyTarget
  const at = { target, directory: directory.path }
  const withSecret = { ...at, target: { ...target, secret_file: "secret" } as NotifyTarget }
  return { webhook, at, withSecret, put, path: (name: string) => join(directory.path, name) }
}

describe("a message", () => {
  it("says what came, where, when, and what to do", () => {
    assert.deepEqual(raised, {
      source: "countersign",
      id: "limit_spent mm/few 1000 raised",
      alarm: "limit_spent",
      subject: "mm/few",
      state: "raised",
      severity: "critical",
      text: `${hostname()}: The limit mm/few is spent; countersign limits raise gives more.`,
      at: "1970-01-01T00:00:01.000Z",
      ended: null,
      host: hostname(),
    })
  })

  it("asks nobody to do anything about what is over", () => {
    const over = { ...spent, stands: false, overAt: 282_000 }
    const cleared = messageOf({ state: "cleared", alarm: over }, 282_500)
    assert.deepEqual(
      [cleared.state, cleared.text, cleared.at, cleared.ended],
      [
        "cleared",
        `${hostname()}: Over: The limit mm/few is spent.`,
        ...["1970-01-01T00:00:01.000Z", "1970-01-01T00:04:42.000Z"],
      ],
    )
    const passed = messageOf({ state: "passed", alarm: { ...over, severity: "warning" } }, 0)
    assert.equal(passed.state, "cleared")
  })

  it("tells what was critical as that, though it is over", () => {
    const over = { ...spent, stands: false, overAt: 282_000 }
    const passed = messageOf({ state: "passed", alarm: over }, 300_000)
    assert.deepEqual([passed.state, passed.severity], ["raised", "critical"])
    const when = "from 1970-01-01T00:00:01Z to 1970-01-01T00:04:42Z"
    assert.ok(passed.text.endsWith(`: It was so ${when}, and is over: The limit mm/few is spent.`))
  })

  it("says since when it is so where it is told a minute late", () => {
    const late = messageOf({ state: "raised", alarm: spent }, 61_001)
    assert.match(late.text, /is spent \(since 1970-01-01T00:00:01Z\); countersign/)
  })
})

describe("a message, as its target takes it", () => {
  it("is JSON, signed over its very bytes where there is a key", async (t) => {
    const { webhook, at, withSecret, put } = await receiver(t, "json")
    put("secret", `${key}\n`)
    assert.equal(await deliver(withSecret, odd), undefined)
    assert.equal(await deliver(at, odd), undefined)
    const [signed, plain] = webhook.heard
    assert.deepEqual(signed?.message, odd)
    const expected = createHmac("sha256", key).update(signed.body, "utf8").digest("hex")
    assert.equal(signed.headers["x-countersign-signature"], `sha256=${expected}`)
    assert.equal(signed.headers["content-type"], "application/json")
    assert.deepEqual([plain?.message, plain?.headers["x-countersign-signature"]], [odd, undefined])
  })

  it("is escaped for Slack, and shown without its marks", async (t) => {
    const { webhook, at } = await receiver(t, "slack")
    assert.equal(await deliver(at, odd), undefined)
    assert.deepEqual(JSON.parse(webhook.heard[0]?.body ?? ""), {
      text: "a &lt;b&gt; &amp; c_d_e *f* `g` é…",
      mrkdwn: false,
    })
    await deliver(at, { ...odd, text: "&".repeat(5_000) })
    const { text } = JSON.parse(webhook.heard[1]?.body ?? "") as { text: string }
    assert.ok(text.length <= 4_000 && text.length > 3_990, String(text.length))
    assert.match(text, /^(&amp;)+…$/)
  })

  for (const form of ["slack", "telegram", "ntfy"] as const) {
    it(`is whole for ${form} as long as the words of a hundred held orders, whose cost comes last`, async (t) => {
      const { webhook, at } = await receiver(t, form, "/sendMessage?chat_id=1")
      const text = `place 100 orders: ${"buy 1 BTC-PERP at 63,000 limit; ".repeat(60)}worst 6,300,000 USD`
      assert.equal(await deliver(at, { ...odd, text }), undefined)
      assert.ok(webhook.heard[0]?.body.includes(text))
    })
  }

  for (const [chat, id] of [
    ["-1001234567890", -1_001_234_567_890],
    ["@desk", "@desk"],
  ] as const) {
    it(`is sendMessage's for Telegram's chat ${chat}, whose text is plain`, async (t) => {
      const { webhook, at } = await receiver(t, "telegram", `/sendMessage?chat_id=${chat}`)
      assert.equal(await deliver(at, odd), undefined)
      const [heard] = webhook.heard
      assert.equal(heard?.url, `/hooks/${webhookSecret}/sendMessage`)
      assert.deepEqual(JSON.parse(heard.body), {
        chat_id: id,
        text: odd.text,
        link_preview_options: { is_disabled: true },
      })
      for (const length of [4_096, 4_097]) await deliver(at, { ...odd, text: "é".repeat(length) })
      const lengths = webhook.heard
        .slice(1)
        .map(({ body }) => (JSON.parse(body) as Message).text.length)
      assert.deepEqual(lengths, [4_096, 4_096])
    })
  }

  it("is ntfy's body, with a title, a priority and a tag in headers", async (t) => {
    const { webhook, at, withSecret, put } = await receiver(t, "ntfy")
    put("secret", "tk_abc\n")
    assert.equal(await deliver(withSecret, odd), undefined)
    await deliver(at, { ...odd, state: "cleared" })
    await deliver(at, { ...odd, severity: "warning", text: "€".repeat(4_096) })
    const [came, over, long] = webhook.heard
    const shown = ({
      headers: { title, priority, tags, authorization },
    }: {
      headers: Record<string, unknown>
    }) => [title, priority, tags, authorization]
    assert.equal(came?.body, odd.text)
    assert.deepEqual(shown(came), [
      "Countersign: limit_spent",
      "urgent",
      "rotating_light",
      "Bearer tk_abc",
    ])
    assert.deepEqual(over && shown(over), [
      "Countersign: limit_spent is over",
      "default",
      "white_check_mark",
      undefined,
    ])
    assert.deepEqual(long && shown(long).slice(1, 3), ["default", "warning"])
    assert.ok(Buffer.byteLength(long?.body ?? "") <= 4_096)
  })

  it("is an event for PagerDuty, which the same key ends", async (t) => {
    const { webhook, at, put } = await receiver(t, "pagerduty")
    const routingKey = "R0utingKeyOf32LettersAndDigits00"
    put("routing-key", `${routingKey}\n`)
    const { port } = webhook
    const target = {
      ...{ name: "duty", form: "pagerduty", severity: "warning", secret_file: "routing-key" },
      url: `http://127.0.0.1:${port}/v2/enqueue`,
    } as NotifyTarget
    webhook.answer(202)
    const tell = (message: Message) => deliver({ ...at, target }, message)
    const cleared: Message = { ...raised, state: "cleared", id: "another" }
    for (const message of [raised, cleared, { ...raised, subject: "mm/other" }]) {
      assert.equal(await tell(message), undefined)
    }
    await tell({ ...odd, severity: "warning", text: "€".repeat(1_025) })
    const [came, over, other, long] = webhook.heard.map(
      ({ body }) => JSON.parse(body) as Record<string, unknown>,
    )
    assert.equal(webhook.heard[0]?.url, "/v2/enqueue")
    assert.equal(webhook.heard[0].headers["content-type"], "application/json")
    const dedup_key = String(came?.["dedup_key"])
    assert.match(dedup_key, /^[0-9a-f]{64}$/)
    assert.deepEqual(came, {
      ...{ routing_key: routingKey, dedup_key, event_action: "trigger" },
      payload: {
        ...{ summary: raised.text, source: hostname(), severity: "critical" },
        ...{ timestamp: "1970-01-01T00:00:01.000Z", class: "limit_spent" },
      },
    })
    assert.deepEqual(over, { routing_key: routingKey, dedup_key, event_action: "resolve" })
    assert.notEqual(other?.["dedup_key"], dedup_key)
    const { summary, severity } = long?.["payload"] as Record<string, string>
    assert.deepEqual([summary?.length, severity], [1_024, "warning"])
  })

  for (const wrong of [
    "",
    "k".repeat(31),
    "k".repeat(33),
    "k".repeat(31) + "-",
    "k".repeat(31) + "é",
  ]) {
    it(`isn't sent to PagerDuty by a routing key of ${wrong.length} characters that can't be one`, async (t) => {
      const { webhook, at, put, path } = await receiver(t, "pagerduty")
      put("routing-key", `${wrong}\n`)
      const url = `http://127.0.0.1:${webhook.port}/v2/enqueue`
      const target = { ...at.target, url_file: undefined, url, secret_file: "routing-key" }
      const refused = await deliver({ ...at, target: target as NotifyTarget }, raised)
      const expected =
        "expected the integration key of PagerDuty's Events API v2, 32 letters and digits"
      assert.equal(refused?.why, `${path("routing-key")} can't be used; ${expected}.`)
      assert.deepEqual(webhook.heard, [])
    })
  }
})

describe("delivering a message", () => {
  for (const status of [200, 204, 299]) {
    it(`has got through with ${status}`, async (t) => {
      const { webhook, at } = await receiver(t, "slack")
      webhook.answer(status)
      assert.equal(await deliver(at, raised), undefined)
    })
  }

  it("follows no redirect, and tells the status and the host alone", async (t) => {
    const { webhook, at } = await receiver(t, "slack")
    const other = await startWebhook()
    t.after(() => other.close())
    for (const status of [307, 400, 404, 500]) {
      webhook.answer(status, { location: other.url })
      const why = `127.0.0.1:${webhook.port} answered HTTP ${status}.`
      assert.deepEqual(await deliver(at, raised), { why, waitMs: 0 })
    }
    assert.deepEqual(other.heard, [])
  })

  for (const [header, waitMs] of [
    ["30", 30_000],
    ["0", 0],
    ["999999", 600_000],
    ["soon", 0],
  ] as const) {
    it(`waits as long as Retry-After: ${header} asks, up to ten minutes`, async (t) => {
      const { webhook, at } = await receiver(t, "slack")
      webhook.answer(429, { "retry-after": header })
      assert.equal((await deliver(at, raised))?.waitMs, waitMs)
    })
  }

  it("ends when it is told to, whatever the service does", async (t) => {
    const { webhook, at } = await receiver(t, "json")
    webhook.answer("silent")
    const stopping = new AbortController()
    const posting = deliver(at, testMessage(0), stopping.signal)
    await webhook.message("test")
    stopping.abort()
    assert.match((await posting)?.why ?? "", /gave no answer/)
  })

  it("tells why nobody answered, and not the address", async (t) => {
    const { webhook, at } = await receiver(t, "json")
    const { port } = webhook
    await webhook.close()
    t.after(() => undefined)
    assert.deepEqual(await deliver(at, raised), {
      why: `127.0.0.1:${port} gave no answer (ECONNREFUSED).`,
      waitMs: 0,
    })
  })
})

describe("a target's files", () => {
  it("are refused where others can read them, with what fixes it", async (t) => {
    const { webhook, withSecret, put, path } = await receiver(t, "json")
    put("secret", key)
    for (const name of ["url", "secret"]) {
      for (const mode of [0o640, 0o604]) {
        chmodSync(path(name), mode)
        const refused = await deliver(withSecret, raised)
        assert.match(
          refused?.why ?? "",
          new RegExp(`${name} is open to other users; run: chmod 600 `),
        )
      }
      chmodSync(path(name), 0o600)
    }
    assert.deepEqual(webhook.heard, [])
    assert.equal(await deliver(withSecret, raised), undefined)
  })

  it("are refused where they are a symlink, missing, or hold something else, which isn't quoted", async (t) => {
    const { webhook, at, withSecret, put, path } = await receiver(t, "json")
    const why = async (from: typeof at) => (await deliver(from, raised))?.why ?? ""
    assert.match(await why(withSecret), /secret doesn't exist\.$/)
    put("secret", "k".repeat(31))
    assert.match(await why(withSecret), /expected at least 32 bytes/)
    put("other", key)
    rmSync(path("secret"))
    symlinkSync(path("other"), path("secret"))
    assert.match(await why(withSecret), /is a symlink/)
    for (const text of [
      "http://hooks.example/canary",
      "https://user:canary@hooks.example/",
      "canary",
      "",
    ]) {
      put("url", text)
      assert.match(await why(at), /url can't be used; expected https:/)
      assert.doesNotMatch(await why(at), /canary/)
    }
    assert.deepEqual(webhook.heard, [])
  })

  it("are refused without a chat for Telegram, and where the gate was given no directory", async (t) => {
    const { at } = await receiver(t, "telegram", "/sendMessage")
    assert.match((await deliver(at, raised))?.why ?? "", /chat_id/)
    assert.match(
      (await deliver({ ...at, directory: undefined }, raised))?.why ?? "",
      /--notify-dir/,
    )
  })
})
