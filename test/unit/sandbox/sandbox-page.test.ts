import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseAccountMap } from "../../../src/gate/reads/account-map.ts"
import { equityIn, ordersIn, positionsIn } from "../../../src/gate/reads/account-reading.ts"
import { writeEndpoints } from "../../../src/sandbox/answer-request.ts"
import { readPaths } from "../../../src/sandbox/reads.ts"
import { marketControlPaths } from "../../../src/sandbox/market-control.ts"
import { moods } from "../../../src/sandbox/market/price-path.ts"
import { marketReadPaths } from "../../../src/sandbox/market-reads.ts"
import { faultKinds } from "../../../src/sandbox/faults.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"
import { pricesOf } from "./market/price-lines.ts"
import { nowMs, typeA, wallet, type Fields } from "./signed-bodies.ts"
import { accepted, marketUnderTest } from "./venue-under-test.ts"

const page = readRepositoryFile("docs/sandbox.md")

describe("docs/sandbox.md", () => {
  it("lists every path that the sandbox plays, and no other", () => {
    const listed = tableRows(sectionOf(page, "What it plays")).flatMap(([path = ""]) =>
      codesIn(path),
    )
    const played = [...writeEndpoints.keys(), ...Object.values(readPaths)]
    assert.deepEqual([...listed].sort(), [...played].sort())
  })

  it("lists what there is with a market, and nothing else", () => {
    const listed = tableRows(sectionOf(page, "A market")).flatMap(([first = ""]) => codesIn(first))
    const paths = [...Object.values(marketReadPaths), ...Object.values(marketControlPaths)]
    const methods = paths.map((path) => `GET ${path}`)
    const named = [...methods, `POST ${marketControlPaths.market}`, ...Object.keys(moods)]
    const form = ["--market", "time,symbol,price"]
    assert.deepEqual(listed.filter((word) => !form.includes(word)).sort(), named.sort())
  })

  it("lists every kind of fault with its words", () => {
    const rows = tableRows(sectionOf(page, "Faults on demand"))
    const listed = rows.map(([kind = "", text]) => [codesIn(kind)[0], text])
    assert.deepEqual(Object.fromEntries(listed), faultKinds)
  })

  it("shows an account section that goes with its venue.yaml and reads what its market answers", () => {
    const [section = ""] = fencedBlocks(sectionOf(page, "A market"), "yaml")
    const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
    assert.doesNotMatch(text, /^account:/m)
    const profile = parseProfile(text + section, "venue.yaml")
    assert.ok(profile.ok && profile.value.accountPoll?.map)
    const reads = parseAccountMap(profile.value.accountPoll.map)
    assert.ok(reads.ok)
    const { orders, positions } = reads.value
    assert.ok(orders[0])

    const venue = marketUnderTest(pricesOf("64000"))
    const place = (order: Fields, nonce: number) =>
      accepted(venue.post("/v1/trade/orders", typeA(order, { nonce: nowMs + nonce })))
    place({ symbol_id: 1, is_buy: false, order_type: "market", quantity: "0.1" }, 1)
    const rest = { symbol_id: 1, order_type: "limit", quantity: "1" }
    place({ ...rest, is_buy: true, price: "63000.5", flags: ["reduce_only"] }, 2)
    place({ ...rest, is_buy: false, price: "65000" }, 3)
    const answerOf = ({ path }: { readonly path: string }) => {
      const { status, envelope } = venue.get(path.replace("$account", wallet.address))
      return { status, body: Buffer.from(JSON.stringify(envelope)) }
    }
    const order = { symbol: "1", position_side: "both", remaining: "1" }
    assert.deepEqual(ordersIn(answerOf(orders[0]), orders[0]), {
      ok: true,
      value: [
        { ...order, is_buy: true, price: "63000.5", reduce_only: true },
        { ...order, is_buy: false, price: "65000", reduce_only: false },
      ],
    })
    assert.deepEqual(positionsIn(answerOf(positions), positions), {
      ok: true,
      value: [{ symbol: "1", position_side: "both", quantity: "-0.1" }],
    })
    const equity = {
      path: "/v1/account/equity?account_address=$account",
      ...{ value: ["data", "equity"], currency: { at: ["data", "currency"], is: "USD" } },
    }
    const worth = equityIn(answerOf(equity), equity)
    assert.match(worth.ok ? worth.value : worth.error, /^\d+(?:\.\d+)?$/)
  })
})
