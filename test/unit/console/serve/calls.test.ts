import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { Fault } from "../../../../src/std/fault.ts"
import { entriesOf, quietStand, signedRecord } from "../../../support/console-look.ts"
import {
  pageHeaders,
  startConsole,
  whyOf,
  without,
  type TestConsole,
} from "../../../support/console-server.ts"

const secretPattern = /^[A-Za-z0-9_-]{43}$/
const seq = 5
const id = `rec_${"0".repeat(26)}`

/** What each call of a session takes. */
const bodies = {
  "/look": {},
  "/history": { before: 7 },
  "/record": { id, seq },
  "/held": { id: `hold_${"0".repeat(26)}` },
  "/freeze": { reason: "odd fills" },
  "/end": {},
} as const
const ofSession = Object.entries(bodies)

describe("POST /session", () => {
  it("makes a session of a link: half of it a cookie that is of this port by its name", async (t) => {
    const site = await startConsole(t)
    const reply = await site.post("/session", { secret: site.link() })
    assert.equal(reply.status, 200)
    const { proof, ...others } = JSON.parse(reply.text) as { readonly proof: string }
    assert.match(proof, secretPattern)
    assert.deepEqual(others, {})
    const [cookie = "", ...attributes] = String(reply.headers["set-cookie"]).split("; ")
    const [name, value = ""] = cookie.split("=")
    assert.equal(name, `countersign_console_${site.port}`)
    assert.match(value, secretPattern)
    assert.deepEqual(attributes, ["Path=/", "HttpOnly", "SameSite=Strict"])
    assert.equal(reply.headers["cache-control"], "no-store")
    assert.deepEqual(site.asked, [])
  })

  it("is taken from the page by its Origin alone", async (t) => {
    const site = await startConsole(t)
    const headers = { "content-type": "application/json", origin: `http://127.0.0.1:${site.port}` }
    const { status } = await site.post("/session", { secret: site.link() }, headers)
    assert.equal(status, 200)
  })

  it("takes a link once, within its time, and says how to get another", async (t) => {
    const site = await startConsole(t)
    const used = site.link()
    assert.equal((await site.post("/session", { secret: used })).status, 200)
    const late = site.link()
    for (const [secret, passMs] of [
      [used, 0],
      [late, 60_000],
      ["A".repeat(43), 0],
    ] as const) {
      site.clock.pass(passMs)
      const reply = await site.post("/session", { secret })
      assert.equal(reply.status, 401)
      assert.match(whyOf(reply), /works once, within 60 seconds\. Press Enter/)
      assert.equal(reply.headers["set-cookie"], undefined)
    }
  })

  it("takes nothing that is no link's secret", async (t) => {
    const site = await startConsole(t)
    const secret = site.link()
    const others = ["", secret.slice(1), `${secret}s`, `${secret.slice(1)}=`, 1, null]
    for (const body of [
      ...others.map((each) => ({ secret: each })),
      ...[{}, { secret, more: 1 }, [secret], secret, "{", "", `{"secret":"${secret}"`],
    ]) {
      assert.equal((await site.post("/session", body)).status, 400)
    }
    assert.equal((await site.post("/session", { secret })).status, 200)
  })
})

describe("POST /look", () => {
  it("tells how all stands, and what was decided after the entry that the page knows", async (t) => {
    const news = entriesOf(8, ["allowed"])
    const site = await startConsole(t, { entries: () => news })
    const headers = await site.logIn()
    const reply = await site.post("/look", {}, headers)
    assert.deepEqual([reply.status, JSON.parse(reply.text)], [200, { ...quietStand, news }])
    await site.post("/look", { after: 8 }, headers)
    assert.deepEqual(site.asked, [
      ...[
        { name: "look", params: {} },
        { name: "entries", params: {} },
      ],
      ...[
        { name: "look", params: {} },
        { name: "entries", params: { after: 8 } },
      ],
    ])
  })

  it("waits until a second has passed since the session's last one, and keeps nobody else waiting", async (t) => {
    const site = await startConsole(t)
    const [session, other] = [await site.logIn(), await site.logIn()]
    const timeMs = async (headers: typeof session): Promise<number> => {
      const startMs = performance.now()
      assert.equal((await site.post("/look", {}, headers)).status, 200)
      return performance.now() - startMs
    }
    assert.ok((await timeMs(session)) < 900)
    const [again, ofOther] = await Promise.all([timeMs(session), timeMs(other)])
    assert.ok(again >= 990 && ofOther < 900, `${again} ms and ${ofOther} ms`)
    site.clock.pass(5_000)
    assert.ok((await timeMs(session)) < 900)
  })

  it("says why there is nothing to tell", async (t) => {
    const away = () => new Fault("vault_unavailable", "No daemon runs here.")
    const site = await startConsole(t, { look: away, freeze: away })
    const headers = await site.logIn()
    for (const path of ["/look", "/freeze"] as const) {
      const reply = await site.post(path, bodies[path], headers)
      assert.deepEqual([reply.status, whyOf(reply)], [503, "No daemon runs here."])
    }
  })

  it("says nothing of what broke", async (t) => {
    const site = await startConsole(t, { look: () => new Error("at /var/lib/secret:1") })
    const reply = await site.post("/look", {}, await site.logIn())
    assert.equal(reply.status, 500)
    assert.match(whyOf(reply), /^The console failed at this/)
  })
})

describe("POST /history", () => {
  it("tells what was decided before an entry, no more than ten times a second", async (t) => {
    const history = entriesOf(6, ["allowed", "refused"])
    const site = await startConsole(t, { entries: () => history })
    const headers = await site.logIn()
    const startMs = performance.now()
    const reply = await site.post("/history", { before: 7 }, headers)
    assert.ok(performance.now() - startMs >= 95)
    assert.deepEqual([reply.status, JSON.parse(reply.text)], [200, history])
    assert.deepEqual(site.asked, [{ name: "entries", params: { before: 7 } }])
    for (const wrong of [{}, { before: -1 }, { before: "7" }, { before: 7, after: 1 }]) {
      assert.equal((await site.post("/history", wrong, headers)).status, 400)
    }
  })
})

describe("POST /record", () => {
  const { record: signed, symbols, ...rest } = signedRecord
  const recordOf = (changes: Partial<NonNullable<typeof signed>>) => ({
    ...signedRecord,
    record: signed && { ...signed, ...changes },
  })

  it("tells what was asked, in words and as its body, what became of it and where it is", async (t) => {
    const body =
      '{"is_buy":true,"order_type":"limit","price":"63000","quantity":"0.1","symbol_id":1}'
    const told = recordOf({ operation: "placeOrder", outcome: { status: 200, code: "0" }, body })
    const names = { names: { 1: "BTC-PERP" }, default_market_order_type: null }
    const site = await startConsole(t, { record: () => ({ ...told, symbols: names }) })
    const reply = await site.post("/record", { id, seq }, await site.logIn())
    assert.deepEqual(JSON.parse(reply.text), {
      ...{ ...told.record, ...rest },
      asked: "buy 0.1 BTC-PERP at 63000, limit",
    })
    assert.deepEqual(site.asked, [{ name: "record", params: { id, seq } }])
  })

  it("cuts a long body, and writes out what a bot hid in it", async (t) => {
    const body = JSON.stringify({ a: `1\u202e${"x".repeat(3_000)}` })
    const site = await startConsole(t, { record: () => recordOf({ body }) })
    const reply = await site.post("/record", { id, seq }, await site.logIn())
    const shown = JSON.parse(reply.text) as { readonly asked: string; readonly body: string }
    assert.match(shown.body, /^\{"a":"1\\u202ex+…$/)
    assert.equal(shown.body.length, 2_000)
    assert.match(shown.asked, /^cancel order: a 1\\u202ex+…$/)
  })

  it("has no words where the ledger has no body, and nothing where it has no record", async (t) => {
    let record = recordOf({ state: "refused_here", body: null }).record
    const site = await startConsole(t, { record: () => ({ record, symbols, ...rest }) })
    const headers = await site.logIn()
    const told = async (): Promise<unknown> =>
      JSON.parse((await site.post("/record", { id, seq }, headers)).text)
    const { asked, body } = (await told()) as { readonly asked: null; readonly body: null }
    assert.deepEqual([asked, body], [null, null])
    record = null
    assert.equal(await told(), null)
  })

  it("takes a record's id with its entry's number and nothing else", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    for (const wrong of ["", "rec_", id.slice(1), `${id}0`, `${id}\n`, "hold_1", 1, null]) {
      assert.equal((await site.post("/record", { id: wrong, seq }, headers)).status, 400)
    }
    assert.equal((await site.post("/record", { id }, headers)).status, 400)
    assert.deepEqual(site.asked, [])
  })
})

describe("POST /freeze", () => {
  it("has the command freeze, for the person's reason", async (t) => {
    const site = await startConsole(t)
    const reply = await site.post("/freeze", { reason: " odd fills " }, await site.logIn())
    assert.equal(reply.status, 200)
    assert.equal((JSON.parse(reply.text) as { by: string }).by, "console/alice")
    assert.deepEqual(site.asked, [{ name: "freeze", params: { reason: "odd fills" } }])
  })

  it("takes a reason of 1 to 200 characters, and nothing else", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    const freeze = async (body: unknown) => (await site.post("/freeze", body, headers)).status
    for (const length of [1, 200]) assert.equal(await freeze({ reason: "r".repeat(length) }), 200)
    for (const body of [
      ...["", "  ", "r".repeat(201), 1, null].map((reason) => ({ reason })),
      ...[{}, { reason: "r", scope: "key" }, { reason: "r", by: "console/x" }, "", "[]"],
    ]) {
      assert.equal(await freeze(body), 400)
    }
    assert.equal(site.asked.length, 2)
  })
})

describe("POST /end", () => {
  it("ends the session and takes the cookie back", async (t) => {
    const site = await startConsole(t)
    const [headers, other] = [await site.logIn(), await site.logIn()]
    const reply = await site.post("/end", {}, headers)
    assert.deepEqual([reply.status, reply.text], [200, "{}"])
    assert.deepEqual(reply.headers["set-cookie"], [
      `countersign_console_${site.port}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
    ])
    assert.equal((await site.post("/look", {}, headers)).status, 401)
    assert.equal((await site.post("/look", {}, other)).status, 200)
  })

  it("takes nothing but {}", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    for (const body of [{ a: 1 }, "", "[]"]) {
      assert.equal((await site.post("/end", body, headers)).status, 400)
    }
    assert.equal((await site.post("/look", {}, headers)).status, 200)
  })
})

describe("a call of the page", () => {
  it("must be plain JSON and short", async (t) => {
    const site = await startConsole(t)
    const session = await site.logIn()
    for (const [path, body] of [["/session", { secret: site.link() }] as const, ...ofSession]) {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
        const headers = { ...session, "content-type": type }
        assert.equal((await site.post(path, body, headers)).status, 415)
      }
      assert.equal((await site.post(path, " ".repeat(2_049), session)).status, 413)
      const chunked = { ...session, "transfer-encoding": "chunked" }
      assert.equal((await site.post(path, " ".repeat(2_049), chunked)).status, 413)
      assert.equal((await site.post(path, " ".repeat(2_048), session)).status, 400)
    }
    assert.deepEqual(site.asked, [])
  })
})

/** No session, each in a way of its own. */
async function waysWithoutSession(site: TestConsole) {
  const session = await site.logIn()
  const other = await site.logIn()
  const cookie = String(session["cookie"])
  const [name = "", value = ""] = cookie.split("=")
  const proof = String(session["countersign-console"])
  const guess = "A".repeat(43)
  const withCookie = (text: string | string[]) => ({ ...session, cookie: text })
  const withProof = (text: string | string[]) => ({ ...session, "countersign-console": text })
  return {
    "neither half": pageHeaders,
    "a cookie without a proof": without(session, "countersign-console"),
    "a proof without a cookie": without(session, "cookie"),
    "a guessed proof": withProof(guess),
    "a guessed cookie": withCookie(`${name}=${guess}`),
    "the proof of another session": withProof(String(other["countersign-console"])),
    "the cookie of another session": withCookie(String(other["cookie"])),
    "an empty proof": withProof(""),
    "a proof that is none": withProof(`${proof}p`),
    "two proofs": withProof([proof, proof]),
    "a cookie that is none": withCookie(`${cookie}c`),
    "a cookie in quotes": withCookie(`${name}="${value}"`),
    "an empty cookie": withCookie(`${name}=`),
    "a cookie of another name": withCookie(`x${cookie}`),
    "the cookie of another port's console": withCookie(`countersign_console_1=${value}`),
    "two cookies": withCookie(`${cookie}; ${cookie}`),
    "two cookies, one of them empty": withCookie(`${name}=; ${cookie}`),
    "two cookies in two headers": withCookie([cookie, cookie]),
  }
}

describe("a call of a session", () => {
  const refusedTo = async (t: TestContext, what: string): Promise<void> => {
    const site = await startConsole(t)
    const ways: Readonly<Record<string, typeof pageHeaders | object>> =
      await waysWithoutSession(site)
    const headers = ways[what] as Awaited<ReturnType<TestConsole["logIn"]>>
    const whys = new Set<string>()
    for (const [path, body] of ofSession) {
      const reply = await site.post(path, body, headers)
      assert.equal(reply.status, 401, path)
      whys.add(whyOf(reply))
    }
    assert.equal(whys.size, 1)
    assert.match([...whys].join(), /over, or never was\. Press Enter where countersign console/)
    assert.deepEqual(site.asked, [])
  }

  for (const what of [
    ...["neither half", "a cookie without a proof", "a proof without a cookie"],
    ...["a guessed proof", "a guessed cookie", "the proof of another session"],
    ...["the cookie of another session", "an empty proof", "a proof that is none", "two proofs"],
    ...["a cookie that is none", "a cookie in quotes", "an empty cookie"],
    ...["a cookie of another name", "the cookie of another port's console", "two cookies"],
    ...["two cookies, one of them empty", "two cookies in two headers"],
  ]) {
    it(`is refused with ${what}`, (t) => refusedTo(t, what))
  }

  it("is taken beside cookies of others", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    const cookie = `a=1;${String(headers["cookie"])} ; countersign_console=2; b`
    assert.equal((await site.post("/look", {}, { ...headers, cookie })).status, 200)
  })

  it("is refused after 15 minutes of silence", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    site.clock.pass(15 * 60_000 - 1)
    assert.equal((await site.post("/look", {}, headers)).status, 200)
    site.clock.pass(15 * 60_000)
    assert.equal((await site.post("/look", {}, headers)).status, 401)
  })
})

describe("POST /weigh and POST /decide", () => {
  const hold = `hold_${"0".repeat(26)}`
  const calls = [
    ["/weigh", { id: hold }],
    ["/decide", { id: hold, decision: "released", typed: "withdraw", policy_hash: "aa" }],
  ] as const

  it("aren't there in a console that wasn't started to release", async (t) => {
    const site = await startConsole(t)
    const headers = await site.logIn()
    for (const [path, body] of calls)
      assert.equal((await site.post(path, body, headers)).status, 404)
    assert.deepEqual(site.asked, [])
  })

  it("ask the command, with what was typed in", async (t) => {
    const site = await startConsole(t, {}, { mayRelease: true })
    const headers = await site.logIn()
    for (const [path, body] of calls)
      assert.equal((await site.post(path, body, headers)).status, 200)
    assert.deepEqual(
      site.asked,
      calls.map(([path, params]) => ({ name: path.slice(1), params })),
    )
  })

  it("are refused without a session, to other pages, and with anything else in them", async (t) => {
    const site = await startConsole(t, {}, { mayRelease: true })
    const headers = await site.logIn()
    for (const [path, body] of calls) {
      for (const name of ["cookie", "countersign-console"]) {
        assert.equal((await site.post(path, body, without(headers, name))).status, 401)
      }
      const foreign = { ...headers, "sec-fetch-site": "same-site" }
      assert.equal((await site.post(path, body, foreign)).status, 403)
      const strange = { ...without(headers, "sec-fetch-site"), origin: "http://127.0.0.1:1" }
      assert.equal((await site.post(path, body, strange)).status, 403)
      const unsaid = without(headers, "sec-fetch-site")
      assert.equal((await site.post(path, body, unsaid)).status, 403)
      for (const wrong of [{}, { ...body, by: "operator" }, { ...body, id: "hold_1" }]) {
        assert.equal((await site.post(path, wrong, headers)).status, 400)
      }
    }
    assert.deepEqual(site.asked, [])
  })

  it("say why nothing was decided", async (t) => {
    const late = () => new Fault("usage", "This request waits no more; it is expired.")
    const site = await startConsole(t, { decide: late }, { mayRelease: true })
    const [, [path, body]] = calls
    const reply = await site.post(path, body, await site.logIn())
    assert.deepEqual([reply.status, whyOf(reply)], [503, late().message])
  })
})
