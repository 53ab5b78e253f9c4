import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate as turn } from "node:timers/promises"

import fc from "fast-check"

import {
  inTurns,
  openPlaces,
  reducesRisk,
  strangers,
  tokenOwners,
} from "../../../../src/gate/http/shares.ts"
import type { BotLink } from "../../../../src/contract/client.ts"
import { digestOf, token } from "../../../support/fake-vault.ts"

describe("places", () => {
  it("are had by one owner alone up to half of them, and come back", () => {
    const places = openPlaces(4)
    const leave = places.take("a")
    assert.ok(places.take("a"))
    assert.equal(places.take("a"), undefined)
    leave?.()
    assert.ok(places.take("a"))
  })

  it("are left for who comes next, and one is had by anyone while there is one", () => {
    const places = openPlaces(3)
    for (const owner of ["a", "a", "b"]) assert.ok(places.take(owner), owner)
    assert.equal(places.take("c"), undefined)
  })

  it("are never more than there are, and whoever has fewer than are free gets one", () => {
    const step = fc.record({
      owner: fc.constantFrom("a", "b", "c", strangers),
      takes: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.nat(20), fc.array(step, { maxLength: 100 }), (max, steps) => {
        const places = openPlaces(max)
        const held: { owner: string; leave: () => void }[] = []
        for (const { owner, takes } of steps) {
          const own = held.filter((each) => each.owner === owner)
          if (!takes) {
            const [first] = own
            first?.leave()
            if (first !== undefined) held.splice(held.indexOf(first), 1)
            continue
          }
          const leave = places.take(owner)
          assert.equal(leave !== undefined, own.length < max - held.length)
          if (leave !== undefined) held.push({ owner, leave })
        }
      }),
    )
  })
})

describe("the owner of a request", () => {
  it("is one for no token and for all tokens that the vault doesn't know", async () => {
    const ownerOf = tokenOwners(() => Promise.resolve([digestOf(token)]))
    assert.equal(ownerOf(token), strangers, "the vault wasn't asked yet")
    await turn()
    assert.notEqual(ownerOf(token), strangers)
    for (const other of [undefined, "cs_x", `${token}x`]) assert.equal(ownerOf(other), strangers)
  })

  it("is known on while the vault is away, which is asked once a second at most", async (t) => {
    t.mock.timers.enable({ apis: ["Date"] })
    let nowMs = 0
    t.mock.method(performance, "now", () => nowMs)
    let asked = 0
    const ownerOf = tokenOwners(() => {
      asked += 1
      return asked === 1 ? Promise.resolve([digestOf(token)]) : Promise.reject(new Error("away"))
    })
    ownerOf("cs_x")
    await turn()
    nowMs = 999
    ownerOf("cs_x")
    assert.equal(asked, 1)
    nowMs = 1_000
    ownerOf("cs_x")
    await turn()
    assert.equal(asked, 2)
    assert.notEqual(ownerOf(token), strangers)
  })
})

describe("what reduces risk, by its path", () => {
  for (const path of [
    "/v1/trade/orders/cancel",
    "/v1/trade/orders/batch/cancel",
    "/sign/v1/trade/orders/cancel-all",
    "/freeze",
    "/heartbeat",
  ]) {
    it(`is ${path}`, () => assert.equal(reducesRisk(path), true))
  }
  for (const path of [
    "/v1/trade/orders",
    "/v1/trade/orders/batch",
    "/check/v1/trade/orders/cancel",
    "/v1/account/orders/cancel",
    "/v1/trade/orders/cancel/x",
    "/sign/batch",
    "/freeze/x",
  ]) {
    it(`isn't ${path}`, () => assert.equal(reducesRisk(path), false))
  }
})

describe("calls to the vault", () => {
  const limits = { maxTurns: 2, maxReducingTurns: 1 }
  const sign = (by: string, path = "/v1/trade/orders", body = "") =>
    ({ token: by, path, body, purpose: "return" }) as const

  /** A vault that answers when it is told to, and what it was asked so far. */
  function patientVault() {
    const asked: string[] = []
    const answers: (() => void)[] = []
    const call: BotLink["call"] = (method, params) => {
      asked.push(`${method} ${"token" in params ? params.token : ""}`)
      return new Promise<never>((resolve) => answers.push(resolve as () => void))
    }
    const link: BotLink = inTurns({ call, close: () => undefined }, (of) => of ?? "", limits)
    const answerFirst = async (): Promise<void> => {
      answers.shift()?.()
      await turn()
    }
    return { link, asked, answerFirst }
  }

  it("leave in turns by owner, so that one with many waits for itself", async () => {
    const { link, asked, answerFirst } = patientVault()
    for (const by of ["a", "a", "a", "a", "b", "c"]) void link.call("sign", sign(by))
    await turn()
    assert.deepEqual(asked, ["sign a", "sign a"])
    for (let count = 0; count < 4; count++) await answerFirst()
    assert.deepEqual(asked.slice(2), ["sign a", "sign b", "sign c", "sign a"])
  })

  it("that are large count as several, so that an owner of small ones gets as much", async () => {
    const { link, asked, answerFirst } = patientVault()
    const large = "x".repeat(1_024)
    for (let count = 0; count < 4; count++) {
      void link.call("sign", sign("a", "/v1/trade/orders/batch", large))
    }
    for (let count = 0; count < 4; count++) void link.call("sign", sign("b"))
    await turn()
    for (let count = 0; count < 7; count++) await answerFirst()
    const order = asked.map((each) => each.replace("sign ", "")).join("")
    assert.equal(order, "aabbabba")
  })

  it("go before none that waited for longer, where their owner comes anew", async () => {
    const { link, asked, answerFirst } = patientVault()
    for (const by of "abababababab") void link.call("sign", sign(by))
    await turn()
    for (let count = 0; count < 4; count++) await answerFirst()
    asked.length = 0
    for (const by of "ccc") void link.call("sign", sign(by))
    for (let count = 0; count < 6; count++) await answerFirst()
    assert.equal(asked.map((each) => each.replace("sign ", "")).join(""), "abcabc")
  })

  it("leave their owner no debt once nobody waits", async () => {
    const { link, asked, answerFirst } = patientVault()
    for (const by of ["a", "a", "a", "a", "b"]) void link.call("sign", sign(by))
    await turn()
    for (let count = 0; count < 5; count++) await answerFirst()
    asked.length = 0
    for (const by of ["c", "c", "a", "b"]) void link.call("sign", sign(by))
    await turn()
    await answerFirst()
    assert.deepEqual(asked, ["sign c", "sign c", "sign a"])
  })

  it("that reduce risk wait for none that don't, and the other way round", async () => {
    const { link, asked } = patientVault()
    for (const by of ["a", "a", "a"]) void link.call("sign", sign(by))
    void link.call("sign", sign("b", "/v1/trade/orders/cancel"))
    void link.call("freeze", { token: "c", body: "" })
    await turn()
    assert.deepEqual(asked, ["sign a", "sign a", "sign b"])
  })

  it("that tell what became of a request, or are the gate's own, don't wait", async () => {
    const { link, asked } = patientVault()
    for (const by of ["a", "a", "a"]) void link.call("sign", sign(by))
    void link.call("report", { token: "a", record: "r", outcome: { kind: "sent" } })
    void link.call("health", {})
    await turn()
    assert.deepEqual(asked.toSorted(), ["health ", "report a", "sign a", "sign a"])
  })
})
