import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { after, before, describe, it, type TestContext } from "node:test"

import { maxFrameBytes } from "../../../../src/link/wire.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { signBatch } from "../../../../src/vault/request/sign-batch.ts"
import type { Vault } from "../../../../src/vault/vault.ts"
import type { Address } from "../../../../src/venue/address.ts"
import { decideAsShown, thawAsShown } from "../../../support/a-word.ts"
import { askBatch, inBatch, outcomesOf, refusalOf, resultsOf } from "../../../support/batch.ts"
import { heardStages } from "../../../support/heard-stages.ts"
import { limitedPolicy } from "../../../support/limited-vault.ts"
import {
  approvePath,
  approval,
  assertSigned,
  callOf,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  readBody,
  venueWithOpenCancels,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"
import { until } from "../../../support/process-tree.ts"
import { countCommits } from "../../../support/read-ledger.ts"

const maxBodyBytes = 65_536

async function openWithBot(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return { test, token }
}

function many<Item>(count: number, make: (index: number) => Item): readonly Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

const placeThreeOfFive = "{name: cap, endpoints: [placeOrder], count: requests, window: 1h, max: 3}"

describe("a batch", () => {
  let test: TestVault
  let token: string
  before(async () => {
    test = await openTestVault({ venue: venueWithOpenCancels() })
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
  })
  after(() => test.remove())

  it("signs any mix of operations, in their order, each with a record and a nonce of its own", async () => {
    const keys = test.vault.active().keys
    const addressOf = (name: string): string => keys.get(name)?.address ?? ""
    const results = resultsOf(
      await askBatch(test, token, [
        inBatch(limitOrder({ client_order_id: "q-1" })),
        inBatch({ order_id: "7" }, { path: cancelPath }),
        inBatch(approval(addressOf("mm"), addressOf("main")), { path: approvePath, key: "main" }),
        inBatch(limitOrder({ client_order_id: "q-2" }), { expires_in: 2_000 }),
      ]),
    )
    const bodies = results.map((result) => {
      assertSigned(result)
      return readBody(result)
    })
    const told = bodies.map((body) => body["client_order_id"] ?? body["order_id"] ?? body["label"])
    assert.deepEqual(told, ["q-1", "7", approval("", "")["label"], "q-2"])
    assert.equal(new Set(results.map(({ record }) => record)).size, 4)
    const nonces = bodies.map((body) => Number(body["nonce"]))
    assert.ok(nonces[0]! < nonces[1]! && nonces[1]! < nonces[3]!, "of one signer they rise")
    assert.equal(bodies[2]?.["signer_address"], addressOf("main"))
    assert.equal(Number(bodies[3]?.["expires_after"]) - nonces[3]!, 2_000)
  })

  it("signs the very values that a request alone would be signed with", async () => {
    const text =
      '{"b":{"z":[9007199254740991,-1,null,true],"a":"\\u00e9\\u0001\\/ 😀"},"order_id":"1.10"}'
    const [signed] = resultsOf(
      await askBatch(test, token, `{"requests":[{"path":"${cancelPath}","body":${text}}]}`),
    )
    const alone = await test.sign(token, text, { path: cancelPath })
    assertSigned(alone)
    assert.ok(signed !== undefined)
    assertSigned(signed)
    const unsigned = (body: string): string =>
      body.replaceAll(/"(nonce|expires_after)":\d+|"signature":\{[^}]*\}/g, "")
    assert.equal(unsigned(signed.body), unsigned(alone.body))
  })

  it("tells of each request what it would be told alone", async () => {
    const asked = [
      [limitOrder(), {}],
      [limitOrder({ price: "0" }), {}],
      [{ ...limitOrder(), nonce: 1 }, {}],
      [[], {}],
      [null, {}],
      [limitOrder(), { path: "/v1/nowhere" }],
      [limitOrder(), { key: "other" }],
      [{ order_id: "1" }, { path: "/v1/trade/orders/chase" }],
    ] as const
    const answer = await askBatch(
      test,
      token,
      asked.map(([body, changes]) => inBatch(body, changes)),
    )
    const alone = await Promise.all(asked.map(([body, changes]) => test.sign(token, body, changes)))
    assert.deepEqual(outcomesOf(answer), alone.map(outcomeOf))
    for (const [index, result] of resultsOf(answer).entries()) {
      const other = alone[index]
      if (result.kind !== "refused" || other?.kind !== "refused") continue
      assert.deepEqual(result.refusal, other.refusal)
    }
    const late = await askBatch(test, token, [inBatch(limitOrder(), { expires_in: 15_001 })])
    assert.deepEqual(outcomesOf(late), ["invalid_header"])
  })

  for (const [what, request, path] of [
    ["isn't an object", 7, "/requests/1"],
    ["has no path", { body: limitOrder() }, "/requests/1/path"],
    ["has no body", { path: cancelPath }, "/requests/1/body"],
    ["has a member more", inBatch({}, { purpose: "forward" }), "/requests/1/purpose"],
    ["brings a token", inBatch({}, { token: "cs_" }), "/requests/1/token"],
    ["has a path that is too long", inBatch({}, { path: "/".repeat(257) }), "/requests/1/path"],
    ["has a key that is too long", inBatch({}, { key: "k".repeat(65) }), "/requests/1/key"],
    ["has a validity in text", inBatch({}, { expires_in: "2000" }), "/requests/1/expires_in"],
    ["has null for none", inBatch({}, { key: null }), "/requests/1/key"],
    [
      "has a space in its idempotency key",
      inBatch({}, { idempotency_key: "a b" }),
      "/requests/1/idempotency_key",
    ],
    [
      "has an empty idempotency key",
      inBatch({}, { idempotency_key: "" }),
      "/requests/1/idempotency_key",
    ],
    [
      "has a long idempotency key",
      inBatch({}, { idempotency_key: "k".repeat(65) }),
      "/requests/1/idempotency_key",
    ],
  ] as const) {
    it(`refuses a request that ${what}, and signs the others`, async () => {
      const answer = await askBatch(test, token, [inBatch(), request, inBatch()])
      assert.deepEqual(outcomesOf(answer), ["signed", "invalid_request", "signed"])
      const result = resultsOf(answer)[1]
      assert.ok(result?.kind === "refused" && result.refusal.code === "invalid_request")
      const [error, ...others] = result.refusal.data.errors
      assert.deepEqual([error?.path, error?.rule, others], [path, "batch_request", []])
      assert.notEqual(result.record, null)
    })
  }

  for (const [what, text, code] of [
    ["no JSON", '{"requests":', "invalid_json"],
    ["a list alone", JSON.stringify([inBatch()]), "invalid_request"],
    ["no list", JSON.stringify({ requests: inBatch() }), "invalid_request"],
    ["no requests", '{"requests":[]}', "invalid_request"],
    ["nothing", "{}", "invalid_request"],
    ["101 requests", JSON.stringify({ requests: many(101, () => inBatch()) }), "invalid_request"],
    ["a member more", JSON.stringify({ requests: [inBatch()], key: "mm" }), "invalid_request"],
    [
      "a key twice in one of the bodies",
      `{"requests":[${JSON.stringify(inBatch())},{"path":"${cancelPath}","body":{"order_id":"1","Order_id":"2"}}]}`,
      "invalid_json",
    ],
    [
      "a number that readers disagree on",
      `{"requests":[{"path":"${cancelPath}","body":{"order_id":1.0}}]}`,
      "invalid_json",
    ],
  ] as const) {
    it(`of ${what} is refused as a whole, and signs nothing`, async () => {
      const heard = await heardStages("countersign.request", async () => {
        const answer = await askBatch(test, token, text)
        assert.equal(refusalOf(answer).code, code)
        assert.ok(answer.kind === "refused" && answer.record !== null, "it is recorded")
      })
      assert.deepEqual(heard, ["answered"])
    })
  }

  it("counts a body's depth from the body", async () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
    const whole = (depth: number): string =>
      `{"requests":[{"path":"${cancelPath}","body":${nested(depth)}}]}`
    assert.deepEqual(outcomesOf(await askBatch(test, token, whole(16))), ["signed"])
    assert.equal(outcomeOf(await test.sign(token, nested(16), { path: cancelPath })), "signed")
    assert.equal(refusalOf(await askBatch(test, token, whole(17))).code, "invalid_json")
    assert.equal(
      outcomeOf(await test.sign(token, nested(17), { path: cancelPath })),
      "invalid_json",
    )
  })

  it("of an unknown token is refused once, before it is read", async () => {
    const answer = await askBatch(test, `cs_${"x".repeat(43)}`, "{")
    assert.deepEqual(
      [answer.kind, refusalOf(answer).code, "record" in answer && answer.record],
      ["refused", "unauthorized", null],
    )
  })

  it("takes 100 requests, and stays within a frame whatever they are", async () => {
    const signed = await askBatch(
      test,
      token,
      many(100, () => inBatch()),
    )
    assert.deepEqual(new Set(outcomesOf(signed)), new Set(["signed"]))
    const share = Math.floor(maxBodyBytes / 100) - 60
    const escaped = "\\u0001".repeat(Math.floor((share - 20) / 6))
    const worst = [
      `{"order_id":"${'\\"'.repeat((share - 20) / 2)}"}`,
      `{"order_id":"${escaped}"}`,
      `{${many(Math.floor(share / 7), (index) => `"${index}":1`).join(",")}}`,
      `{"${"/".repeat(share - 20)}":1,"b":1,"c":1}`,
      `{"${escaped}":1}`,
    ]
    for (const [index, body] of worst.entries()) {
      const path = index < 2 ? cancelPath : "/v1/trade/orders"
      const text = `{"requests":[${many(100, () => `{"path":"${path}","body":${body}}`).join(",")}]}`
      assert.ok(Buffer.byteLength(text) <= maxBodyBytes, `${index}: ${Buffer.byteLength(text)}`)
      const answer = await askBatch(test, token, text)
      assert.equal(resultsOf(answer).length, 100)
      const bytes = Buffer.byteLength(JSON.stringify(answer))
      assert.ok(bytes + 100 < maxFrameBytes, `${index}: ${bytes}`)
    }
  })

  it("stays within a frame also where each refusal quotes a policy's long list", async (t) => {
    const ids = many(60, (index) => `order-number-${String(index).padStart(8, "0")}`)
    const where = `where: [{pointer: /order_id, in: [${ids.join(", ")}]}]`
    const policy = `policy: p\nrules:\n  - {name: c, endpoints: [cancelOrder], ${where}}\n`
    const { test, token } = await openWithBot(t, { policies: [policy] })
    const asked = many(100, (index) =>
      inBatch({ order_id: index === 0 ? ids[0] : `x${index}` }, { path: cancelPath }),
    )
    const answer = await askBatch(test, token, asked)
    assert.deepEqual(outcomesOf(answer).slice(0, 2), ["signed", "policy_denied"])
    assert.ok(Buffer.byteLength(JSON.stringify(answer)) + 100 < maxFrameBytes)
  })

  it("tells as many errors of all its requests together as of one alone", async () => {
    const wrong = Object.fromEntries(many(200, (index) => [`f${index}`, 1]))
    const toldOf = async (requests: number): Promise<readonly number[]> => {
      const answer = await askBatch(
        test,
        token,
        many(requests, () => inBatch(wrong)),
      )
      return resultsOf(answer).map((result) => {
        assert.ok(result.kind === "refused" && result.refusal.code === "invalid_request")
        return result.refusal.data.errors.length
      })
    }
    assert.deepEqual(await toldOf(1), [100])
    assert.deepEqual(await toldOf(3), [33, 33, 33])
    assert.deepEqual(new Set(await toldOf(20)), new Set([5]))
  })
})

describe("the requests of a batch", () => {
  it("are judged and reserved in their order: a limit with room for three signs the first three", async (t) => {
    const { test, token } = await openWithBot(t, { policies: [limitedPolicy(placeThreeOfFive)] })
    const spent = "limit_exhausted"
    const asked = [...many(5, () => inBatch()), inBatch({ order_id: "1" }, { path: cancelPath })]
    const answer = await askBatch(test, token, asked)
    assert.deepEqual(outcomesOf(answer), ["signed", "signed", "signed", spent, spent, "signed"])
    assert.equal((await test.admin.listLimits())[0]?.used, "3")
  })

  it("are counted for good one by one: a restart knows of all that were signed", async (t) => {
    const life = placeThreeOfFive.replace("1h", "ever")
    const ask = { policies: [limitedPolicy(life)], keys: "on_disk" } as const
    const { test, token } = await openWithBot(t, ask)
    const two = await askBatch(
      test,
      token,
      many(2, () => inBatch()),
    )
    assert.deepEqual(outcomesOf(two), ["signed", "signed"])
    const again = await test.reopen()
    t.after(() => again.remove())
    const more = await askBatch(
      again,
      token,
      many(2, () => inBatch()),
    )
    assert.deepEqual(outcomesOf(more), ["signed", "limit_exhausted"])
  })

  it("are all reserved before one is signed, and share one commit", async (t) => {
    const { test, token } = await openWithBot(t)
    const { ledgerFile } = pathsOf(test.installation)
    assertSigned(await test.sign(token, limitOrder()))
    await test.vault.ledger.count() // the tables have caught up
    const earlier = countCommits(`${ledgerFile}-wal`)
    const heard = await heardStages("countersign.request", () =>
      askBatch(
        test,
        token,
        many(100, () => inBatch()),
      ),
    )
    // A second one may be that of tables that follow.
    assert.ok(countCommits(`${ledgerFile}-wal`) - earlier <= 2)
    assert.equal(heard.lastIndexOf("reserved") < heard.indexOf("durable"), true)
    assert.equal(heard.filter((stage) => stage === "durable").length, 100)
    assert.equal(heard.filter((stage) => stage === "answered").length, 1)
  })

  it("of the same idempotency key are one signature", async (t) => {
    const { test, token } = await openWithBot(t)
    const keyed = { idempotency_key: "k-1" }
    const before = await test.vault.ledger.count()
    const answer = await askBatch(test, token, [
      inBatch(limitOrder(), keyed),
      inBatch(limitOrder(), keyed),
      inBatch(limitOrder({ quantity: "0.2" }), keyed),
    ])
    assert.deepEqual(outcomesOf(answer), ["signed", "signed", "idempotency_conflict"])
    const [first, second] = resultsOf(answer)
    assert.ok(first?.kind === "answer" && second?.kind === "answer")
    assert.deepEqual([second.body, second.record], [first.body, first.record])
    assert.deepEqual([first.repeat, second.repeat], ["first", "perhaps_sent"])
    assert.equal(await test.vault.ledger.count(), before + 2, "one request and one refusal")
    const alone = await test.sign(token, limitOrder(), { idempotencyKey: "k-1" })
    assertSigned(alone)
    assert.equal(alone.body, first.body, "and the same request as at /sign")
  })

  it("are known by their client_order_id for a client that was added so", async (t) => {
    const { test } = await openWithBot(t)
    const by = { keys: ["mm"], idempotencyBy: "client_order_id" } as const
    const token = await test.addClient({ name: "by-id", ...by })
    const order = inBatch(limitOrder({ client_order_id: "q-1" }))
    const [first, again] = resultsOf(await askBatch(test, token, [order, order]))
    assert.ok(first?.kind === "answer" && again?.kind === "answer")
    assert.equal(again.body, first.body)
  })

  it("are refused where files that came meanwhile give them a key that wasn't looked up", async (t) => {
    const { test } = await openWithBot(t, { settings: "expires_in: {trade: 1s}\n" })
    const by = { keys: ["mm"], idempotencyBy: "client_order_id" } as const
    const token = await test.addClient({ name: "by-id", ...by })
    const order = (id: string) => limitOrder({ client_order_id: id })
    const long = inBatch(order("q-2"), { expires_in: 2_000 })
    assert.deepEqual(outcomesOf(await askBatch(test, token, [long])), ["invalid_header"])

    // While q-1 is in use the batch waits, and other files come into force.
    const earlier = Promise.withResolvers<undefined>()
    const q1 = { client: "by-id", by: "client_order_id", key: "q-1" } as const
    const using = test.vault.ledger.decide([q1], () => () => earlier.promise)
    const waiting = askBatch(test, token, [inBatch(order("q-1")), long])
    const { configFile } = pathsOf(test.installation)
    await writeFile(configFile, (await readFile(configFile, "utf8")).replace("1s", "2s"))
    const old = test.vault.active()
    const reloading = reload(test.vault)
    await until(() => test.vault.active() !== old || undefined, "other files are in force")
    earlier.resolve(undefined)

    const [first, second] = resultsOf(await waiting)
    assert.ok(first?.kind === "answer" && second?.kind === "refused")
    assert.equal(second.refusal.code, "overloaded")
    assert.match(second.refusal.message, /^The files in force changed .*; send it again\.$/)
    await Promise.all([using, reloading])
    const again = resultsOf(await askBatch(test, token, [inBatch(order("q-1")), long]))
    assert.deepEqual(
      again.map((result) => result.kind === "answer" && result.repeat),
      ["perhaps_sent", "first"],
    )
  })

  it("stand still one by one: frozen orders, not cancels; and none of a locked key", async (t) => {
    const { test, token } = await openWithBot(t)
    const asked = [inBatch(), inBatch({ order_id: "1" }, { path: cancelPath })]
    await test.admin.freeze({ scope: "all", name: null, reason: "a test", cancels: true })
    assert.deepEqual(outcomesOf(await askBatch(test, token, asked)), ["frozen", "signed"])
    await thawAsShown(test, { scope: "all", name: null })
    test.vault.keyring.lock()
    assert.deepEqual(outcomesOf(await askBatch(test, token, asked)), ["locked", "locked"])
  })

  it("are answered before a freeze that comes meanwhile is", async (t) => {
    const { test, token } = await openWithBot(t)
    const signer = test.vault.active().keys.get("mm")?.address ?? ""
    for (const round of many(10, (index) => index)) {
      // The second waits for the first, and is looked up again after it.
      const keyed = { idempotency_key: `k-${round}` }
      const nonceBefore = test.vault.ledger.lastNonce(signer as Address)
      const order: string[] = []
      const batch = askBatch(test, token, [
        inBatch(limitOrder(), keyed),
        inBatch(limitOrder(), keyed),
      ]).then(() => order.push("batch"))
      await until(
        () => test.vault.ledger.lastNonce(signer as Address) !== nonceBefore || undefined,
        "it is reserved",
      )
      const freeze = { scope: "all", name: null, reason: "a test", cancels: true } as const
      await Promise.all([batch, test.admin.freeze(freeze).then(() => order.push("freeze"))])
      assert.deepEqual(order, ["batch", "freeze"])
      await thawAsShown(test, { scope: "all", name: null })
    }
  })

  it("open one hold for the same request, and use a release once", async (t) => {
    const held = permissivePolicy + "hold: [{name: big, ttl: 15m, endpoints: [placeOrder]}]\n"
    const { test, token } = await openWithBot(t, { policies: [held] })
    const twice = [inBatch(), inBatch()]
    const wanted = "approval_required"
    assert.deepEqual(outcomesOf(await askBatch(test, token, twice)), [wanted, wanted])
    const holds = await test.admin.listHolds()
    assert.equal(holds.length, 1)
    await decideAsShown(test, holds[0]?.id ?? "")
    assert.deepEqual(outcomesOf(await askBatch(test, token, twice)), ["signed", wanted])
  })
})

describe("a fault in the middle of a batch", () => {
  it("lets nothing leave that was signed", async (t) => {
    const { test, token } = await openWithBot(t)
    let asked = 0
    const decide: Vault["ledger"]["decide"] = (keys, step) =>
      test.vault.ledger.decide(keys, (turn) =>
        step({
          ...turn,
          reserve(ask) {
            asked += 1
            if (asked === 3) throw new Fault("ledger_unavailable", "The disk is gone.")
            return turn.reserve(ask)
          },
        }),
      )
    const { body } = callOf(token, { requests: many(5, () => inBatch()) })
    const vault = { ...test.vault, ledger: { ...test.vault.ledger, decide } }
    await assert.rejects(signBatch({ token, body }, vault), { code: "ledger_unavailable" })
  })

  it("signs nothing on a ledger that is closed", async (t) => {
    const { test, token } = await openWithBot(t)
    await test.vault.ledger.close()
    let isSigned = false
    const keyring: Vault["keyring"] = {
      ...test.vault.keyring,
      sign: (name, digest) => {
        isSigned = true
        return test.vault.keyring.sign(name, digest)
      },
    }
    const { body } = callOf(token, { requests: [inBatch(), inBatch()] })
    const attempt = signBatch({ token, body }, { ...test.vault, keyring })
    await assert.rejects(attempt, { code: "ledger_unavailable" })
    assert.equal(isSigned, false)
  })
})

describe("a token that is revoked while keys are looked up", () => {
  it("has nothing signed", async (t) => {
    const { test, token } = await openWithBot(t)
    const decide: Vault["ledger"]["decide"] = async (keys, step) => {
      await test.admin.revokeClient({ name: "bot" })
      return test.vault.ledger.decide(keys, step)
    }
    const keyed = inBatch(limitOrder(), { idempotency_key: "k-1" })
    const { body } = callOf(token, { requests: [keyed, inBatch()] })
    const vault = { ...test.vault, ledger: { ...test.vault.ledger, decide } }
    assert.equal(refusalOf(await signBatch({ token, body }, vault)).code, "unauthorized")
  })
})
