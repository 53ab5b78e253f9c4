import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { acts } from "../../../src/gate/http/problem.ts"
import { assertConforms, headerMap, type Exchange } from "../../contract/conform.ts"
import { limitOrder } from "../../support/bot.ts"

const daemon = { "Countersign-Source": "daemon", "Content-Type": "application/json" }
const json = JSON.stringify

function envelope(data: object, code = "0", msg = ""): string {
  const word = Object.entries(acts).find(([own]) => own === code)?.[1]
  return json({ code, msg, data, ...(word && { do: word }), trace_code: "" })
}

const healthy: Exchange = {
  ...{ method: "GET", path: "/healthz", status: 200 },
  ...{ headers: headerMap(daemon), text: envelope({ state: "running" }) },
}
const sent: Exchange = {
  ...{ method: "POST", path: "/v1/trade/orders", status: 200, text: "{}" },
  headers: headerMap({ ...daemon, "Countersign-Source": "venue" }),
  asked: { headers: new Map(), body: json(limitOrder()) },
}

describe("the contract as tests hold it", () => {
  it("takes what it has", () => {
    assertConforms(healthy)
    assertConforms(sent)
    const text = envelope({ path: "/x" }, "unknown_endpoint", "No.")
    assertConforms({ ...healthy, path: "/x", status: 404, text })
  })

  for (const [what, exchange] of [
    ["a field more", { ...healthy, text: envelope({ state: "running", more: 1 }) }],
    ["a field less", { ...healthy, text: envelope({}) }],
    ["a status that the call can't have", { ...healthy, status: 404 }],
    [
      "a code that the call can't have",
      { ...healthy, status: 403, text: envelope({ right: "prices" }, "right_missing", "No.") },
    ],
    [
      "a code under another's status",
      { ...healthy, path: "/x", text: envelope({}, "internal", "No."), status: 404 },
    ],
    ["a success where nothing is served", { ...healthy, path: "/x" }],
    ["a header more", { ...healthy, headers: headerMap({ ...daemon, "Retry-After": "1" }) }],
    [
      "another type",
      { ...healthy, headers: headerMap({ ...daemon, "Content-Type": "text/html" }) },
    ],
    ["an order that was taken and isn't one", { ...sent, asked: { ...sent.asked!, body: "{}" } }],
    [
      "a header that was taken and is out of bounds",
      { ...sent, asked: { ...sent.asked!, headers: headerMap({ "Countersign-Expires-In": "0" }) } },
    ],
  ] as const) {
    it(`doesn't take ${what}`, () => {
      assert.throws(() => assertConforms(exchange), assert.AssertionError)
    })
  }
})
