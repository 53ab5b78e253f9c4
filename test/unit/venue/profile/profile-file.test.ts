import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { formatDecimal } from "../../../../src/venue/decimal.ts"
import { parseProfile } from "../../../../src/venue/profile/profile-file.ts"
import { snakeCase } from "../../../../src/venue/signing-hash.ts"
import { numRuns } from "../../../support/runs.ts"
import { endpointOf, problemsOf, profileOf } from "../profile-text.ts"

const withdrawStruct =
  "Withdraw(address signerAddress,string serviceChain,uint256 amount,uint64 nonce,uint64 expiresAfter)"
const agentWithTarget =
  "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)"

const btc = "{id: 1, name: BTC-PERP, market: perp, quote: USD}"

function withPrice(price: string): string {
  return `symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD, reference_price: ${price}}]`
}

describe("a venue.yaml that is in order", () => {
  it("gives tags, structs and layouts to the endpoints that it names", () => {
    const profile = profileOf(
      "endpoints:",
      "  cancelOrder: {action_tag: 9}",
      "  cancelBatch: {action_tag: 10, items: /order_ids}",
      "  placeBatch: {action_tag: 12, items: /orders, item_like: placeOrder}",
      "  modifyBatch: {action_tag: 13, items: /a/b, item_like: placeOrder, order_id: /order_id}",
      "  modifyOrder: {action_tag: 8, like: placeOrder, order_id: /ref/order_id}",
      `  withdraw: {signing: B, struct: "${withdrawStruct}"}`,
    )
    const cancel = endpointOf(profile, "cancelOrder")
    assert.deepEqual(cancel.signing, { known: true, value: { type: "A", tag: 9 } })
    const shapes = (
      ["cancelBatch", "placeBatch", "modifyBatch", "modifyOrder", "withdraw"] as const
    ).map((id) => endpointOf(profile, id).shape)
    assert.deepEqual(shapes, [
      { kind: "item_list", items: "/order_ids" },
      { kind: "order_list", items: "/orders", orderId: undefined },
      { kind: "order_list", items: "/a/b", orderId: "/order_id" },
      { kind: "order_with_id", orderId: "/ref/order_id" },
      { kind: "struct" },
    ])
  })

  it("gives the settings of how bodies are written and orders read", () => {
    const profile = profileOf(
      "canonical_json: {sort: top_level, escape: html, nulls: omit}",
      "tpsl_legs: oco_reduce_only",
      "defaults: {market_order_type: quote}",
      "extra_fields: {placeOrder: [venue_note]}",
      `agent_message_with_target: "${agentWithTarget}"`,
    )
    assert.deepEqual(profile.canonicalForm, { sort: "top_level", escape: "html", nulls: "omit" })
    assert.equal(profile.tpslLegs, "oco_reduce_only")
    assert.equal(profile.defaultMarketOrderType, "quote")
    assert.deepEqual(endpointOf(profile, "placeOrder").extraFields, ["venue_note"])
    assert.ok(profile.agentStructWithTarget.known)
    assert.equal(profile.agentStructWithTarget.value.typeString, agentWithTarget)
  })

  it("gives the fee as a fraction, from nothing to all, and a tenth of a percent where it isn't said", () => {
    const rates = [[], ['fee_rate: "0%"'], ["fee_rate: 0.055%"], ["fee_rate: 100%"]].map((lines) =>
      formatDecimal(profileOf(...lines).feeRate),
    )
    assert.deepEqual(rates, ["0.001", "0", "0.00055", "1"])
  })

  it("gives symbols by id and by name, with the price's age in milliseconds", () => {
    const { symbols } = profileOf(
      "symbols:",
      '  - {id: 1, name: BTC-PERP, market: perp, quote: USD, reference_price: {value: "64000.5", as_of: 2026-11-20T12:00:00Z}}',
      '  - {id: 0, name: BTC/USD, market: spot, quote: USD, reference_price: {value: "1", as_of: 2026-11-20T12:00:00.250Z, max_age: 90s}}',
    )
    assert.deepEqual(symbols.byId.get(1), {
      id: 1,
      name: "BTC-PERP",
      market: "perp",
      quote: "USD",
      referencePrice: {
        value: { coefficient: 640005n, scale: 1 },
        asOfMs: Date.UTC(2026, 10, 20, 12),
        maxAgeMs: 3_600_000,
      },
    })
    const spotPrice = symbols.byName.get("BTC/USD")?.referencePrice
    assert.equal(spotPrice?.asOfMs, Date.UTC(2026, 10, 20, 12, 0, 0, 250))
    assert.equal(spotPrice.maxAgeMs, 90_000)
  })

  it("may write out what the interface discloses", () => {
    const text = [
      'domain: {name: Service, version: "1", chain_id: 84256}',
      "endpoints:",
      "  placeOrder: {signing: A, action_tag: 7}",
      "  cancelOrder: {signing: A, action_tag: 0}",
      "  chaseOrder: {action_tag: 255}",
    ]
    assert.deepEqual(problemsOf(...text), [])
  })

  it("makes another network of another chain id", () => {
    assert.notEqual(profileOf("domain: {chain_id: 1}").network, profileOf().network)
  })

  const agentOrders = [
    agentWithTarget,
    "Agent(address targetAddress,bytes32 actionHash,uint64 expiresAfter,uint64 nonce,address signerAddress)",
    "Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter,address account)",
    "Agent(address signerAddress,address onBehalfOf,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
  ]
  for (const struct of agentOrders) {
    it(`takes the fields of the Agent with target in the order of ${struct}`, () => {
      assert.deepEqual(problemsOf(`agent_message_with_target: "${struct}"`), [])
    })
  }
})

describe("Type B on another network than the main one", () => {
  const known = (...lines: readonly string[]) =>
    endpointOf(profileOf(...lines), "approveAgent").signing.known

  it("is undisclosed until both halves of type_b are given", () => {
    const domain = "domain: {chain_id: 5}"
    assert.equal(known(domain), false)
    assert.equal(known(domain, "type_b: {service_chain: Testnet}"), false)
    assert.equal(known(domain, "type_b: {signature_chain_ids: [5]}"), false)
    assert.equal(known(domain, "type_b: {service_chain: Testnet, signature_chain_ids: [5]}"), true)
  })

  it("is refused under the main network's service_chain, which would make it hold there", () => {
    const typeB = "type_b: {service_chain: Mainnet, signature_chain_ids: [5]}"
    const [problem = ""] = problemsOf("domain: {chain_id: 5}", typeB)
    assert.match(problem, /^venue.yaml:3:\d+: Mainnet is the main network's service_chain/)
    assert.deepEqual(problemsOf("domain: {chain_id: 84256}", typeB), [])
  })

  it("names the line to add", () => {
    const { signing } = endpointOf(profileOf("domain: {chain_id: 5}"), "approveAgent")
    assert.ok(!signing.known)
    assert.match(signing.addLine, /^type_b: \{service_chain/)
  })

  it("leaves Type A as it is", () => {
    assert.ok(endpointOf(profileOf("domain: {chain_id: 5}"), "placeOrder").signing.known)
  })
})

type Case = { readonly name: string; readonly lines: readonly string[]; readonly says: RegExp }

const wrongValues: readonly Case[] = [
  { name: "an unknown key", lines: ["foo: 1"], says: /^venue.yaml:2:1: unknown key "foo"/ },
  {
    name: "an unknown operation",
    lines: ["endpoints:", "  cancelOrdr: {action_tag: 9}"],
    says: /^venue.yaml:3:3: unknown key "cancelOrdr"/,
  },
  {
    name: "an unknown setting of an operation",
    lines: ["endpoints:", "  cancelOrder: {tag: 9}"],
    says: /^venue.yaml:3:17: unknown key "tag"/,
  },
  {
    name: "an unknown operation in extra_fields",
    lines: ["extra_fields: {placeOrdr: []}"],
    says: /^venue.yaml:2:16: unknown key "placeOrdr"/,
  },
  {
    name: "a key twice",
    lines: ["tpsl_legs: independent", "tpsl_legs: oco_reduce_only"],
    says: /^venue.yaml:3:1: /,
  },
  { name: "a fee that isn't a percentage", lines: ["fee_rate: 0.001"], says: /:2:1: .*like 0.1%/ },
  { name: "a fee of more than all", lines: ["fee_rate: 100.01%"], says: /from 0% to 100%/ },
  {
    name: "a tag of 256",
    lines: ["endpoints: {cancelOrder: {action_tag: 256}}"],
    says: /from 0 to 255/,
  },
  {
    name: "a negative tag",
    lines: ["endpoints: {cancelOrder: {action_tag: -1}}"],
    says: /from 0 to 255/,
  },
  {
    name: "a tag in hex",
    lines: ["endpoints: {cancelOrder: {action_tag: 0x09}}"],
    says: /from 0 to 255/,
  },
  {
    name: "another domain name",
    lines: ["domain: {name: Other}"],
    says: /:2:10: the interface discloses this as "Service"/,
  },
  {
    name: "another domain version",
    lines: ['domain: {version: "2"}'],
    says: /the interface discloses this as "1"/,
  },
  { name: "a chain id of 0", lines: ["domain: {chain_id: 0}"], says: /from 1 to 2\^256 - 1/ },
  {
    name: "a chain id over uint256",
    lines: [`domain: {chain_id: "${2n ** 256n}"}`],
    says: /from 1 to 2\^256 - 1/,
  },
  {
    name: "a signature chain id that JSON can't carry",
    lines: [`type_b: {signature_chain_ids: [${2n ** 53n}]}`],
    says: /:2:32: expected a whole number/,
  },
  {
    name: "no signature chain id at all",
    lines: ["type_b: {signature_chain_ids: []}"],
    says: /at least one chain id/,
  },
  {
    name: "a struct with a type that isn't one",
    lines: ['endpoints: {withdraw: {signing: B, struct: "W(address signerAddress,uint7 x)"}}'],
    says: /uint7/,
  },
  {
    name: "a pointer that isn't one",
    lines: ["endpoints: {cancelBatch: {items: orders}}"],
    says: /JSON Pointer/,
  },
  {
    name: "an item that is like another operation",
    lines: ["endpoints: {placeBatch: {items: /orders, item_like: cancelOrder}}"],
    says: /item_like can only be placeOrder/,
  },
  {
    name: "a price of zero",
    lines: [withPrice('{value: "0", as_of: 2026-11-20T12:00:00Z}')],
    says: /above zero/,
  },
  { name: "a price without its time", lines: [withPrice('{value: "1"}')], says: /as_of/ },
  {
    name: "a time with an offset",
    lines: [withPrice('{value: "1", as_of: 2026-11-20T12:00:00+01:00}')],
    says: /time in UTC/,
  },
  {
    name: "a day that isn't in the calendar",
    lines: [withPrice('{value: "1", as_of: 2026-02-30T12:00:00Z}')],
    says: /time in UTC/,
  },
  {
    name: "an age that isn't a duration",
    lines: [withPrice('{value: "1", as_of: 2026-11-20T12:00:00Z, max_age: 60}')],
    says: /duration like 1h/,
  },
  {
    name: "a symbol's name that is a number",
    lines: ["symbols: [{id: 1, name: 22, market: perp, quote: USD}]"],
    says: /can't be a number/,
  },
  {
    name: "a market that is neither spot nor perp",
    lines: ["symbols: [{id: 1, name: A, market: future, quote: USD}]"],
    says: /spot or perp/,
  },
]

const wrongTogether: readonly Case[] = [
  {
    name: "the tag 7 on another operation than placeOrder",
    lines: ["endpoints:", "  cancelOrder: {action_tag: 7}"],
    says: /^venue.yaml:3:17: cancelOrder can't have the action tag 7: it is placeOrder's \(built in\)$/,
  },
  {
    name: "a tag used twice",
    lines: [
      "endpoints:",
      "  withdraw: {signing: A, action_tag: 9}",
      "  cancelOrder: {action_tag: 9}",
    ],
    says: /^venue.yaml:4:17: cancelOrder can't have the action tag 9: it is withdraw's \(line 3\)$/,
  },
  {
    name: "another tag for placeOrder",
    lines: ["endpoints: {placeOrder: {action_tag: 8}}"],
    says: /:2:26: the interface discloses placeOrder's action_tag as 7, not 8/,
  },
  {
    name: "another signing type for placeOrder",
    lines: ["endpoints: {placeOrder: {signing: B}}"],
    says: /placeOrder's signing as A, not B/,
  },
  {
    name: "a layout for placeOrder",
    lines: ["endpoints: {placeOrder: {like: placeOrder}}"],
    says: /placeOrder, which has no like/,
  },
  {
    name: "items for placeOrder",
    lines: ["endpoints: {placeOrder: {items: /orders}}"],
    says: /placeOrder, which has no items/,
  },
  {
    name: "another struct for approveAgent",
    lines: [`endpoints: {approveAgent: {struct: "${withdrawStruct}"}}`],
    says: /approveAgent's struct as ApproveAgent\(.*, not Withdraw\(/,
  },
  {
    name: "a tag for approveAgent",
    lines: ["endpoints: {approveAgent: {action_tag: 9}}"],
    says: /approveAgent, which has no action_tag/,
  },
  {
    name: "signing: B on a trade endpoint",
    lines: ["endpoints: {cancelOrder: {signing: B}}"],
    says: /cancelOrder is a trade endpoint, and those are Type A/,
  },
  {
    name: "a struct on a trade endpoint",
    lines: [`endpoints: {cancelOrder: {struct: "${withdrawStruct}"}}`],
    says: /cancelOrder is Type A; give its action_tag/,
  },
  {
    name: "a tag together with a struct",
    lines: [`endpoints: {withdraw: {signing: B, action_tag: 9, struct: "${withdrawStruct}"}}`],
    says: /withdraw has an action_tag \(Type A\) and a struct \(Type B\)/,
  },
  {
    name: "a struct without signing: B",
    lines: [`endpoints: {withdraw: {struct: "${withdrawStruct}"}}`],
    says: /withdraw needs signing: B/,
  },
  {
    name: "a tag on an account endpoint without signing: A",
    lines: ["endpoints: {withdraw: {action_tag: 9}}"],
    says: /withdraw needs signing: A/,
  },
  {
    name: "one struct for two operations",
    lines: [
      "endpoints:",
      `  withdraw: {signing: B, struct: "${withdrawStruct}"}`,
      `  transfer: {signing: B, struct: "${withdrawStruct}"}`,
    ],
    says: /^venue.yaml:4:26: transfer can't have this struct: it is withdraw's \(line 3\)/,
  },
  ...["Agent", "ApproveAgent"].map((name) => ({
    name: `${name} as the name of another struct`,
    lines: [
      `endpoints: {withdraw: {signing: B, struct: "${withdrawStruct.replace("Withdraw", name)}"}}`,
    ],
    says: new RegExp(`${name} is the interface's own struct`),
  })),
  ...["address signerAddress", "uint64 nonce", "uint64 expiresAfter"].map((field) => ({
    name: `a struct without ${field}`,
    lines: [
      `endpoints: {withdraw: {signing: B, struct: "${withdrawStruct.replace(field, field.replace(/\S+ /, "bool "))}"}}`,
    ],
    says: new RegExp(`Withdraw lacks the field "${field}"`),
  })),
  ...["signature", "signatureChainId", "targetAddress"].map((field) => ({
    name: `a struct with the field ${field}`,
    lines: [
      `endpoints: {withdraw: {signing: B, struct: "${withdrawStruct.replace("uint256 amount", `string ${field}`)}"}}`,
    ],
    says: new RegExp(`Withdraw's field ${field} collides`),
  })),
  ...[
    "Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
    "Agent(address signer,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
    "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint32 nonce,uint64 expiresAfter)",
    "Agent(address signerAddress,string targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
    "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter,bool x)",
    "Agent2(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
  ].map((struct) => ({
    name: `${struct} as the Agent with target`,
    lines: [`agent_message_with_target: "${struct}"`],
    says: /^venue.yaml:2:1: agent_message_with_target must be Agent/,
  })),
  {
    name: "items on an operation that has none",
    lines: ["endpoints: {cancelOrder: {items: /orders}}"],
    says: /items describes the body of placeBatch, modifyBatch, cancelBatch, not of cancelOrder/,
  },
  {
    name: "item_like without items",
    lines: ["endpoints: {placeBatch: {item_like: placeOrder}}"],
    says: /item_like of placeBatch needs items/,
  },
  {
    name: "orders to modify without the field of their id",
    lines: ["endpoints: {modifyBatch: {items: /orders, item_like: placeOrder}}"],
    says: /item_like of modifyBatch needs order_id/,
  },
  {
    name: "like without order_id",
    lines: ["endpoints: {modifyOrder: {like: placeOrder}}"],
    says: /like of modifyOrder needs order_id/,
  },
  {
    name: "order_id without like",
    lines: ["endpoints: {modifyOrder: {order_id: /order_id}}"],
    says: /order_id of modifyOrder needs like/,
  },
  {
    name: "an order's id inside a field of the order",
    lines: ["endpoints: {modifyOrder: {like: placeOrder, order_id: /tpsl/id}}"],
    says: /order_id of modifyOrder can't lead into tpsl/,
  },
  {
    name: "items in a signing field",
    lines: ["endpoints: {cancelBatch: {items: /signature}}"],
    says: /items of cancelBatch can't lead into signature/,
  },
  {
    name: "two symbols with one id",
    lines: ["symbols:", `  - ${btc}`, `  - ${btc.replace("BTC", "ETH")}`],
    says: /^venue.yaml:4:6: two symbols have the id 1; the other is in line 3$/,
  },
  {
    name: "two symbols with one name",
    lines: ["symbols:", `  - ${btc}`, `  - ${btc.replace("id: 1", "id: 2")}`],
    says: /^venue.yaml:4:13: two symbols have the name BTC-PERP; the other is in line 3$/,
  },
  {
    name: "an extra field that is documented",
    lines: ["extra_fields: {placeOrder: [venue_note, price]}"],
    says: /^venue.yaml:2:41: price is a field of placeOrder already/,
  },
  {
    name: "an extra field that is the items of a batch",
    lines: [
      "endpoints: {cancelBatch: {items: /order_ids}}",
      "extra_fields: {cancelBatch: [order_ids]}",
    ],
    says: /order_ids is a field of cancelBatch already/,
  },
  ...["signer_address", "target_address", "nonce", "expires_after", "signature"].map((name) => ({
    name: `${name} as an extra field`,
    lines: [`extra_fields: {cancelOrder: [${name}]}`],
    says: new RegExp(`${name} is a signing field`),
  })),
  {
    name: "an extra field on a Type B operation",
    lines: ["extra_fields: {approveAgent: [note]}"],
    says: /approveAgent is Type B/,
  },
]

describe("a venue.yaml that isn't in order", () => {
  for (const { name, lines, says } of [...wrongValues, ...wrongTogether]) {
    it(`is refused for ${name}`, () => {
      const problems = problemsOf(...lines)
      assert.equal(problems.length, 1, problems.join("\n"))
      assert.match(problems[0]!, says)
      assert.match(problems[0]!, /^venue\.yaml:\d+:\d+: /)
    })
  }

  it("is refused without extends: builtin", () => {
    for (const text of ["", "tpsl_legs: independent", "extends: other"]) {
      assert.equal(parseProfile(text, "venue.yaml").ok, false)
    }
  })

  it("is told of all that is wrong, in the order of its lines", () => {
    const problems = problemsOf(
      "symbols:",
      `  - ${btc}`,
      `  - ${btc}`,
      "endpoints:",
      "  cancelOrder: {action_tag: 7}",
      "  placeOrder: {like: placeOrder}",
    )
    assert.deepEqual(
      problems.map((problem) => problem.split(":")[1]),
      ["4", "4", "6", "7"],
    )
  })

  it("never makes two operations share a tag, whatever the tags are", () => {
    const tag = fc.integer({ min: 0, max: 12 })
    fc.assert(
      fc.property(tag, tag, tag, (a, b, c) => {
        const problems = problemsOf(
          "endpoints:",
          `  cancelOrder: {action_tag: ${a}}`,
          `  cancelBatch: {action_tag: ${b}}`,
          `  transfer: {signing: A, action_tag: ${c}}`,
        )
        assert.equal(problems.length === 0, new Set([7, a, b, c]).size === 4)
      }),
      numRuns(50),
    )
  })

  it("can't hold two fields of one struct that share a name in the body", () => {
    const name = fc.stringMatching(/^[a-z][A-Za-z0-9]{0,6}$/)
    fc.assert(
      fc.property(name, name, (a, b) => {
        assert.equal(snakeCase(a) === snakeCase(b), a === b)
      }),
      numRuns(200),
    )
  })
})

describe("base_url", () => {
  const accepted = [
    { url: "https://venue.example", kept: "https://venue.example" },
    { url: "https://venue.example/", kept: "https://venue.example" },
    { url: "https://venue.example:8443/api/", kept: "https://venue.example:8443/api" },
    { url: "https://[2001:db8::1]/api", kept: "https://[2001:db8::1]/api" },
    { url: "http://localhost:8430", kept: "http://localhost:8430" },
    { url: "http://127.0.0.1:8430/", kept: "http://127.0.0.1:8430" },
    { url: "http://127.255.0.9", kept: "http://127.255.0.9" },
    { url: "http://[::1]:8430", kept: "http://[::1]:8430" },
  ]
  for (const { url, kept } of accepted) {
    it(`may be ${url}`, () => {
      assert.equal(profileOf(`base_url: "${url}"`).baseUrl, kept)
    })
  }

  const refused = [
    "http://venue.example",
    "http://127.0.0.1.venue.example",
    "http://localhost.venue.example",
    "http://128.0.0.1",
    "http://[::2]",
    "ftp://venue.example",
    "file:///etc/passwd",
    "venue.example",
    "https://",
    "https://user@venue.example",
    "https://user:word@venue.example",
    "https://venue.example?x=1",
    "https://venue.example/?",
    "https://venue.example/#",
    "https://venue.example/a/../b",
    "https://venue.example/..",
    "https://venue.example/a/%2e%2E/b",
    "https://venue.example/a%2fb",
    "https://venue.example/a//b",
    "https://venue.example/a b",
    "https://venue.example/a%5cb",
    "https:\\\\\\\\venue.example",
  ]
  for (const url of refused) {
    it(`can't be ${url}`, () => {
      const problems = problemsOf(`base_url: "${url}"`)
      assert.equal(problems.length, 1)
      assert.match(problems[0]!, /^venue.yaml:2:1: .*base_url/)
    })
  }

  it("may be left out", () => {
    assert.equal(profileOf().baseUrl, undefined)
  })
})

const reads = "reads: {market: [/v1/market/**], explorer: [/v1/explorer/**]}"
const symbols =
  "symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD}, {id: 7, name: ETH-PERP, market: perp, quote: USD}]"

function pollOf(changes: Readonly<Record<string, string>> = {}): string {
  const keys = { path: "/v1/market/tickers", symbol: "/name", value: "/mark", every: "5s" }
  const lines = Object.entries({ ...keys, ...changes }).filter(([, value]) => value !== "")
  return `price_poll: {${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(", ")}}`
}

describe("price_poll", () => {
  it("may be left out, as it is in every older venue.yaml", () => {
    assert.equal(profileOf(reads, symbols).pricePoll, undefined)
  })

  it("reads one path for all symbols, and tells what leads to the prices by its steps", () => {
    const poll = profileOf(reads, symbols, pollOf({ list: "/data/a~1b" })).pricePoll
    assert.deepEqual(poll, {
      paths: ["/v1/market/tickers"],
      weight: 2,
      everyMs: 5_000,
      list: ["data", "a/b"],
      symbol: ["name"],
      value: ["mark"],
    })
  })

  it("reads a path with {id} once for each symbol, and weighs that", () => {
    const path = "/v1/market/{id}/ticker?symbol_id={id}&depth=1"
    const poll = profileOf(reads, symbols, pollOf({ path })).pricePoll
    assert.deepEqual(poll?.paths, [
      "/v1/market/1/ticker?symbol_id=1&depth=1",
      "/v1/market/7/ticker?symbol_id=7&depth=1",
    ])
    assert.equal(poll.weight, 4)
  })

  for (const path of [
    "/v2/market/ticker",
    "/v1/",
    "/v1/market/**",
    "/v1/market/../ticker",
    "/v1/market/ticker#a",
    "/v1/market/ticker?a b",
    "/v1/market/{name}",
    "https://evil.example/v1/market",
    `/v1/market/${"a".repeat(200)}`,
  ]) {
    it(`can't read ${path.slice(0, 40)}`, () => {
      const problems = problemsOf("reads: {market: [/v1/**]}", symbols, pollOf({ path }))
      assert.match(problems.join(), /^venue\.yaml:4:\d+: [^\n]* \(at price_poll\.path\)$/)
    })
  }

  it("is refused where no group has its path: what it weighs would be a guess", () => {
    const [problem] = problemsOf(reads, symbols, pollOf({ path: "/v1/ticker?a=market" }))
    assert.match(
      problem ?? "",
      /:4:\d+: no group of reads has \/v1\/ticker\?a=market, so its weight/,
    )
  })

  for (const [every, isGood] of [
    ["999ms", false],
    ["1s", true],
    ["1h", true],
    ["3601s", false],
    ["often", false],
  ] as const) {
    it(`${isGood ? "can" : "can't"} be made every ${every}`, () => {
      assert.equal(problemsOf(reads, symbols, pollOf({ every })).length, isGood ? 0 : 1)
    })
  }

  it("leaves half of the IP budget to orders", () => {
    const explorer = { path: "/v1/explorer/prices" } // weighs 40
    assert.deepEqual(problemsOf(reads, symbols, pollOf({ ...explorer, every: "4s" })), [])
    const [problem] = problemsOf(reads, symbols, pollOf({ ...explorer, every: "3999ms" }))
    assert.match(problem ?? "", /weighs 601 a minute/)
  })

  for (const key of ["path", "symbol", "value", "every"]) {
    it(`needs ${key}`, () => {
      assert.equal(problemsOf(reads, symbols, pollOf({ [key]: "" })).length, 1)
    })
  }

  it("takes JSON Pointers and no other key", () => {
    assert.equal(problemsOf(reads, symbols, pollOf({ value: "mark" })).length, 1)
    assert.equal(problemsOf(reads, symbols, pollOf({ token: "a" })).length, 1)
  })
})
