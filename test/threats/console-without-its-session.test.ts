import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { pageHeaders, startConsole, type TestConsole } from "../support/console-server.ts"

const guess = "A".repeat(43)

const open = (site: TestConsole, secret: string) => site.post("/session", { secret })

async function statusesOf(
  site: TestConsole,
  headers: Awaited<ReturnType<TestConsole["logIn"]>>,
): Promise<readonly number[]> {
  const calls = [
    ["/look", {}],
    ["/history", { before: 1 }],
    ["/record", { id: `rec_${"0".repeat(26)}`, seq: 1 }],
    ["/freeze", { reason: "mine" }],
    ["/end", {}],
  ] as const
  const replies = calls.map(([path, body]) => site.post(path, body, headers))
  return (await Promise.all(replies)).map(({ status }) => status)
}

const none = [401, 401, 401, 401, 401]

describe("somebody without the console's session", () => {
  it("gets none by a guess, by a link that was used or is old, or by one that was replaced", async (t) => {
    const site = await startConsole(t)
    const replaced = site.link()
    const used = site.link()
    assert.equal((await open(site, used)).status, 200)
    const old = site.link()
    site.clock.pass(60_000)
    for (const secret of [guess, used, replaced, old]) {
      const reply = await open(site, secret)
      assert.deepEqual([reply.status, reply.headers["set-cookie"]], [401, undefined])
    }
  })

  it("can't use what a browser gives to other ports, nor what a page has alone", async (t) => {
    const site = await startConsole(t)
    const own = await site.logIn()
    const other = await site.logIn()
    const [name = ""] = String(own["cookie"]).split("=")
    for (const changes of [
      { "countersign-console": guess },
      { "countersign-console": String(own["cookie"]).slice(name.length + 1) },
      { "countersign-console": other["countersign-console"] ?? "" },
      { cookie: `${name}=${guess}` },
      { cookie: other["cookie"] ?? "" },
    ]) {
      assert.deepEqual(await statusesOf(site, { ...own, ...changes }), none)
    }
    assert.deepEqual(await statusesOf(site, pageHeaders), none)
    assert.deepEqual(site.asked, [])
  })

  it("has no session and no link of another console, or of before it was started again", async (t: TestContext) => {
    const [site, again] = [await startConsole(t), await startConsole(t)]
    const session = await site.logIn()
    const link = site.link()
    const [, value = ""] = String(session["cookie"]).split("=")
    const moved = { ...session, cookie: `countersign_console_${again.port}=${value}` }
    assert.deepEqual(await statusesOf(again, session), none)
    assert.deepEqual(await statusesOf(again, moved), none)
    assert.equal((await open(again, link)).status, 401)
    assert.deepEqual(again.asked, [])
  })
})
