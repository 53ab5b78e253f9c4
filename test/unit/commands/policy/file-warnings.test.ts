import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import {
  fileWarnings,
  venueWarnings,
  policyWarnings,
} from "../../../../src/commands/policy/file-warnings.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { problemText } from "../../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../../src/vault/policy/file/policy-file.ts"
import { warningsOf } from "../../../../src/vault/status/warnings.ts"
import { parseProfile } from "../../../../src/venue/profile/profile-file.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"

const uncounted = "endpoints:\n  placeBatch: {action_tag: 8}\n  cancelBatch: {action_tag: 9}\n"
const placing = "policy: p\nrules:\n  - {name: r, endpoints: [placeOrder]}\n"

describe("what policy check warns of", () => {
  it("is what the files tell by themselves, and nothing of keys and clients", async (t) => {
    const test = await openTestVault({
      venue: `${mainVenueText(undefined)}panic: [{operation: cancelAll, key: none, body: "{}"}]\n`,
      policies: [placing],
      settings: "budgets: {shares: {nobody: 10%}}\n",
    })
    t.after(() => test.remove())
    const set = test.vault.active()
    assert.match(
      fileWarnings(set).join(),
      /no cancel can be signed.*A panic freezes and can't cancel/,
    )
    assert.doesNotMatch(fileWarnings(set).join(), /there is no such/)
    assert.match(
      warningsOf(set, Date.now())
        .map(({ message }) => message)
        .join(),
      /no such key.*no such client/,
    )
  })

  it("is a batch whose orders can't be counted, with the line that says where they are", async (t) => {
    const test = await openTestVault({ venue: `${mainVenueText(undefined)}${uncounted}` })
    t.after(() => test.remove())
    const [warning = "", open = "", ...others] = venueWarnings(test.vault.active().profile).map(
      ({ message }) => message,
    )
    assert.match(open, /cancelBatch passes freezes.*cancelBatch: \{action_tag: 9, fields: \[/)
    assert.match(warning, /placeBatch is refused.*placeBatch: \{action_tag: 8, items: /)
    assert.deepEqual(others, [])
    assert.ok(fileWarnings(test.vault.active()).includes(warning))
  })
})

const spot = "  - {id: 90, name: BTC-SPOT, market: spot, quote: USD}\n"
const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }).replace(
  /^symbols:\n/m,
  (line) => `${line}${spot}`,
)

/** The warnings of policy files, `policies` being the bodies of files after their heads. */
function warnings(...policies: readonly string[]): readonly string[] {
  return warningsAt(venue, ...policies)
}

function warningsAt(venueText: string, ...policies: readonly string[]): readonly string[] {
  const profile = parseProfile(venueText, "venue.yaml")
  assert.ok(profile.ok, profile.ok ? "" : profile.error.map(problemText).join("\n"))
  const files = policies.map((text, index) => ({
    file: `${index}.yaml`,
    text: `policy: p${index}\n${text}\n`,
  }))
  const read = parsePolicies(files, profile.value)
  assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
  return policyWarnings({ policies: read.value, profile: profile.value })
}

const trade = "rules: [{name: r, endpoints: [placeOrder, placeBatch, cancelOrder]}]"
const everything =
  "rules: [{name: r, endpoints: [placeOrder, placeBatch, modifyOrder, modifyBatch, cancelAll]}]"

describe("policy check warns of a deny or a hold", () => {
  for (const list of ["deny", "hold"] as const) {
    const entry = (text: string) => `${trade}\n${list}: [{name: e, ${text}}]`

    it(`that stops cancels which a rule allows: ${list}`, () => {
      for (const text of [
        "hours: {zone: UTC, from: '22:00'}",
        "endpoints: [placeOrder, placeBatch, cancelOrder], symbols: [BTC-PERP]",
        "where: [{pointer: /a, present: false}]",
      ]) {
        const [warning = "", ...more] = warnings(entry(text))
        assert.match(warning, /^p0\/e \(0\.yaml:3\) stops cancels/, text)
        assert.deepEqual(more, [])
      }
      assert.deepEqual(warnings(entry("endpoints: [cancelAll]")), [], "no rule allows that")
      assert.deepEqual(warnings(entry("endpoints: [withdraw]")), [])
    })

    it(`that stops reduce-only orders which a rule allows: ${list}`, () => {
      const stops = (text: string) =>
        warnings(entry(text)).some((each) => each.includes("reduce-only"))
      for (const text of [
        "order_types: [market]",
        "endpoints: [placeOrder, placeBatch]",
        "over_quantity: '1'",
        "require_flags: [reduce_only]",
        "algo_order_types: [none, tpsl]",
        "symbols: [BTC-PERP, BTC-SPOT]",
      ]) {
        assert.ok(stops(text), text)
        const exempt = text.replace("require_flags: [reduce_only]", "sides: [buy]")
        assert.ok(!stops(`${exempt}, forbid_flags: [post_only, reduce_only]`), text)
      }
      assert.ok(!stops("algo_order_types: [tpsl, attached_tpsl]"))
      assert.ok(!stops("symbols: [BTC-SPOT]"))
      assert.ok(!stops("endpoints: [modifyOrder]"))
    })
  }

  it("only where the rule may be for the same client and key, and on the same symbols", () => {
    const night = "deny: [{name: e, order_types: [market]}]"
    const of = (head: string) => `applies_to: ${head}\n`
    const allowed = `${of("{clients: [a]}")}${trade}`
    assert.equal(warnings(allowed, night).length, 1)
    assert.equal(warnings(allowed, `${of("{clients: [a, b]}")}${night}`).length, 1)
    assert.deepEqual(warnings(allowed, `${of("{clients: [b]}")}${night}`), [])
    const ether = "rules: [{name: r, endpoints: [placeOrder], symbols: [ETH-PERP]}]"
    assert.deepEqual(warnings(ether, "deny: [{name: e, symbols: [BTC-PERP]}]"), [])
  })
})

describe("policy check warns of a hold or a limit", () => {
  const hold = (endpoints: string) =>
    `${everything}\nhold: [{name: e, endpoints: [${endpoints}], over_quantity: '1', forbid_flags: [reduce_only]}]`
  const limit = (endpoints: string, more = "") =>
    `${everything}\nlimits: [{name: e, endpoints: [${endpoints}], count: orders, window: 1h, max: 5${more}}]`

  it("that a batch or a modify goes past, and names them", () => {
    for (const file of [hold, limit]) {
      assert.match(
        warnings(file("placeOrder")).join(),
        /^p0\/e \(0\.yaml:3\) doesn't cover placeBatch, modifyOrder, modifyBatch, which a rule allows/,
      )
      assert.match(
        warnings(file("placeOrder, modifyOrder")).join(),
        /doesn't cover placeBatch, modifyBatch,/,
      )
      assert.deepEqual(warnings(file("placeOrder, placeBatch, modifyOrder, modifyBatch")), [])
      assert.deepEqual(warnings(file("placeBatch")), [], "a bound on batches alone is one")
    }
  })

  it("only where a rule allows that, it can be signed, and the limit isn't for exits", () => {
    assert.deepEqual(warnings(limit("placeOrder").replace(everything, trade)).length, 1)
    const single = "rules: [{name: r, endpoints: [placeOrder]}]"
    assert.deepEqual(warnings(limit("placeOrder").replace(everything, single)), [])
    const untagged = venue.replaceAll(/^ {2}(placeBatch|modifyOrder|modifyBatch): .*\n/gm, "")
    assert.deepEqual(warningsAt(untagged, limit("placeOrder")), [])
    assert.deepEqual(warnings(limit("placeOrder", ", lane: reduce")), [])
  })
})

describe("policy check warns of a rule that never matches", () => {
  const rule = (text: string) => warnings(`rules: [{name: r, ${text}}]`).join()

  it("since its orders can't be read, with what would make them readable", () => {
    assert.match(rule("endpoints: [cancelOrder], symbols: [BTC-PERP]"), /allows nothing: .*orders/)
    assert.match(rule("endpoints: [chaseOrder], max_quantity: '1'"), /allows nothing/)
    const bare = venue.replace(/(placeBatch: \{action_tag: \d+, items: \/orders)[^}]*/, "$1")
    const batch = "rules: [{name: r, endpoints: [placeBatch], max_quantity: '1'}]"
    assert.match(warningsAt(bare, batch).join(), /item_like in venue\.yaml/)
    assert.deepEqual(warningsAt(venue, batch), [])
    assert.equal(rule("endpoints: [cancelOrder, placeOrder], symbols: [BTC-PERP]"), "")
    assert.equal(rule("endpoints: [chaseOrder]"), "")
  })

  it("since what it asks doesn't go together", () => {
    assert.match(rule("endpoints: [revokeAgent], label: x"), /label is for approveAgent/)
    assert.equal(rule("endpoints: [revokeAgent, approveAgent], label: x"), "")
    assert.match(
      rule("symbols: [BTC-PERP], max_quantity: {ETH-PERP: '1'}"),
      /a map of sizes has none of its symbols/,
    )
    assert.equal(rule("symbols: [BTC-PERP], max_quantity: {ETH-PERP: '1', default: '2'}"), "")
    assert.equal(rule("symbols: [BTC-PERP, ETH-PERP], max_quantity: {ETH-PERP: '1'}"), "")
    assert.match(rule("symbols: [BTC-SPOT], position_sides: [long]"), /all spot/)
    assert.equal(rule("symbols: [BTC-SPOT, BTC-PERP], position_sides: [long]"), "")
  })
})

describe("policy check warns of one amount in quote units for several currencies", () => {
  const btc = "  - {id: 91, name: ETH-BTC, market: spot, quote: BTC}\n"
  const two = venue.replace(/^symbols:\n/m, (line) => `${line}${btc}`)
  const cover = "endpoints: [placeOrder, placeBatch]"
  const ofRule = (text: string) => `rules: [{name: e, ${cover}, ${text}}]`
  const ofList = (list: string, text: string) =>
    `${trade}\n${list}: [{name: e, symbols: [BTC-SPOT, ETH-BTC], forbid_flags: [reduce_only], ${text}}]`
  const limit = "sum: submitted_notional, window: 1d, max: '1000', per: client"
  const cost = limit.replace("submitted_notional", "worst_cost")
  const ofLimit = (text: string) => `${trade}\nlimits: [{name: e, ${text}}]`

  for (const [key, text] of [
    ["max_notional", ofRule("symbols: [BTC-PERP, ETH-BTC], max_notional: '1000'")],
    ["max_notional", ofRule("max_notional: {BTC-PERP: '5', default: '1000'}")],
    ["over_notional", ofList("deny", "over_notional: '1000'")],
    ["over_notional", ofList("hold", "over_notional: '1000'")],
    ["max", ofLimit(`${limit}, symbols: [BTC-PERP, ETH-BTC]`)],
    ["max", ofLimit(`${cost}, symbols: [BTC-PERP, ETH-BTC]`)],
  ] as const) {
    it(`${key} in ${text.replaceAll("\n", " ")}`, () => {
      const warned = warningsAt(two, text).filter((each) => each.includes("several currencies"))
      assert.equal(warned.length, 1, warned.join("\n"))
      assert.match(
        warned[0] ?? "",
        new RegExp(
          `^p0/e \\(0\\.yaml:\\d\\) has one ${key} for symbols of several currencies, which is 1000 (USD and 1000 BTC|BTC and 1000 USD); give`,
        ),
      )
    })
  }

  it("and not where they are priced in one, or each has its own", () => {
    for (const text of [
      ofRule("symbols: [BTC-PERP, BTC-SPOT], max_notional: '1000'"),
      ofRule("symbols: [ETH-BTC], max_notional: '1000'"),
      ofRule("symbols: [BTC-PERP, ETH-BTC], max_notional: {BTC-PERP: '1000', ETH-BTC: '1'}"),
      ofRule("symbols: [BTC-PERP, ETH-BTC], max_notional: {ETH-BTC: '1', default: '1000'}"),
      ofRule("max_quantity: '1000'"),
      ofList("hold", "over_quantity: '1000'"),
      ofLimit(`${limit}, symbols: [BTC-PERP, BTC-SPOT]`),
    ]) {
      const warned = warningsAt(two, text).filter((each) => each.includes("currencies"))
      assert.deepEqual(warned, [], text)
    }
    assert.deepEqual(warnings(ofRule("max_notional: '1000'")), [])
  })
})
