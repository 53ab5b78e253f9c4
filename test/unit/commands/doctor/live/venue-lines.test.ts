import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agentLines } from "../../../../../src/commands/doctor/live/agent-lines.ts"
import type { LiveLine } from "../../../../../src/commands/doctor/finding.ts"
import {
  baseUrlLines,
  cancelLines,
  priceLines,
  symbolLines,
} from "../../../../../src/commands/doctor/live/venue-lines.ts"
import type { KeyView, PriceView } from "../../../../../src/contract/bot-views.ts"
import { sandboxChainId } from "../../../../../src/sandbox/state/market.ts"
import { profileOf } from "../../../venue/profile-text.ts"

const nowMs = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const weekMs = 7 * dayMs

const states = (lines: readonly LiveLine[]) => lines.map(({ state }) => state)

describe("doctor --live on the venue", () => {
  const at = { venueFile: "/d/venue.yaml", restart: "systemctl restart all" }
  const answers = () => Promise.resolve({ kind: "reached" } as const)

  it("misses base_url, and says that a restart takes it", async () => {
    const [line] = await baseUrlLines(profileOf(), at, () => assert.fail("it connected"))
    assert.equal(line?.state, "missing")
    assert.equal(line.fix, "add base_url to /d/venue.yaml, then run: systemctl restart all")
  })

  it("misses a venue that doesn't answer", async () => {
    const failed = () => Promise.resolve({ kind: "failed", code: "ETIMEDOUT" } as const)
    const [line] = await baseUrlLines(profileOf("base_url: https://v.example"), at, failed)
    assert.deepEqual([line?.state, line?.fix], ["missing", "curl -v https://v.example"])
  })

  it("is ok with one that does, and says for which network is signed", async () => {
    const [line] = await baseUrlLines(profileOf("base_url: https://v.example"), at, answers)
    assert.equal(line?.state, "ok")
    assert.match(line.message, /certificate is valid\. .*Service 1, chain 84256\.$/)
  })
})

describe("doctor --live on a venue that is none", () => {
  const at = { venueFile: "/d/venue.yaml", restart: "systemctl restart all" }
  const answers = () => Promise.resolve({ kind: "reached" } as const)
  const chain = (id: number) => `domain: {name: Service, version: "1", chain_id: ${id}}`

  it("misses the network where it is the sandbox's, whatever the address", async () => {
    for (const url of ["http://127.0.0.1:8546", "https://v.example"]) {
      const profile = profileOf(`base_url: ${url}`, chain(sandboxChainId))
      const [line] = await baseUrlLines(profile, at, answers)
      assert.equal(line?.state, "missing")
      assert.match(line.message, /sandbox's network, chain 842569901/)
    }
  })

  it("doesn't know what is behind plain http on this machine", async () => {
    const [line] = await baseUrlLines(profileOf("base_url: http://127.0.0.1:8546"), at, answers)
    assert.deepEqual([line?.state, line?.fix], ["unknown", "curl -v http://127.0.0.1:8546"])
  })
})

describe("doctor --live on cancels and symbols", () => {
  const two =
    "endpoints: {cancelOrder: {action_tag: 1}, cancelBatch: {action_tag: 2, items: /order_ids}"

  it("misses a single action tag, and names its line", () => {
    const [line] = cancelLines(profileOf(`${two}}`))
    assert.equal(line?.state, "missing")
    assert.match(line.fix, /endpoints: \{cancelAll: \{action_tag: <0-255>\}\} and then run: /)
    assert.doesNotMatch(line.fix, /cancelOrder/)
  })

  it("is ok with all three", () => {
    assert.deepEqual(states(cancelLines(profileOf(`${two}, cancelAll: {action_tag: 3}}`))), ["ok"])
  })

  it("misses symbols, and tells what each is quoted in", () => {
    assert.deepEqual(states(symbolLines(profileOf())), ["missing"])
    const [line] = symbolLines(
      profileOf("symbols: [{id: 1, name: BTC-PERP, market: perp, quote: USD}]"),
    )
    assert.equal(line?.state, "ok")
    assert.match(line.message, /BTC-PERP in USD/)
  })
})

describe("doctor --live on prices", () => {
  const price: PriceView = {
    ...{ symbol: "BTC-PERP", value: "64000", as_of: nowMs, good_until: nowMs + 60_000 },
    ...{ by: "feed", state: "known", anchor: "64000", pending: null },
  }

  it("is ok with a fresh price that has an anchor", () => {
    const [line] = priceLines([price], nowMs)
    assert.equal(line?.state, "ok")
    assert.match(line.message, /BTC-PERP 64000 by feed, good for 60 s\./)
  })

  for (const by of ["operator", "profile"]) {
    it(`doesn't know whether a feed runs where a price is the ${by}'s word`, () => {
      const lines = priceLines([price, { ...price, symbol: "ETH-PERP", by }], nowMs)
      assert.deepEqual(states(lines), ["unknown"])
      assert.match(
        lines[0]?.message ?? "",
        /price of ETH-PERP, 64000, is .*, good for 60 s, and no feed/,
      )
    })
  }

  const cases: readonly (readonly [string, Partial<PriceView>, RegExp])[] = [
    [
      "none",
      { state: "none", value: null, anchor: null },
      /countersign prices set BTC-PERP PRICE$/,
    ],
    ["a stale one", { state: "stale" }, /countersign prices set BTC-PERP PRICE$/],
    [
      "one that waits for a person",
      { state: "unconfirmed", pending: "63000" },
      /^countersign prices confirm BTC-PERP$/,
    ],
    ["one without an anchor", { anchor: null }, /countersign prices set/],
  ]
  for (const [what, changes, fix] of cases) {
    it(`misses ${what}, though another symbol is well`, () => {
      const lines = priceLines([price, { ...price, ...changes }], nowMs)
      assert.deepEqual(states(lines), ["missing"])
      assert.match(lines[0]?.fix ?? "", fix)
    })
  }

  it("knows nothing without symbols", () => {
    assert.deepEqual(states(priceLines([], nowMs)), ["unknown"])
  })
})

describe("doctor --live on agents", () => {
  const profile = profileOf()
  const at = { profile, nowMs, warningMs: weekMs }
  const agent: KeyView = {
    ...{ name: "mm", address: `0x${"0".repeat(40)}`, role: "agent", wallet: "main", targets: [] },
    ...{ network: profile.network, approval: "approved", expires_at: nowMs + weekMs + 1 },
    ...{ last_used: null, locked: false },
  }
  const target = `0x${"00".repeat(19)}a1`

  it("is ok with one that is approved for a moment longer than the warning", () => {
    const [line] = agentLines([agent], at)
    assert.equal(line?.state, "ok")
    assert.match(line.message, /^mm for its wallet's account alone, 7 d left\.$/)
  })

  const cases: readonly (readonly [string, LiveLine["state"], Partial<KeyView>, RegExp])[] = [
    [
      "has exactly the warning's time left",
      "missing",
      { expires_at: nowMs + weekMs },
      /^countersign agent rotate mm --valid-days 30$/,
    ],
    [
      "was approved by nobody that it knows of",
      "unknown",
      { approval: "unknown", expires_at: null },
      /^countersign agent approve mm /,
    ],
    ["is of another network", "missing", { network: "0x00" }, /^countersign keys remove mm$/],
    [
      "has targets that can't be signed for",
      "missing",
      { targets: [target] },
      /agent_message_with_target/,
    ],
  ]
  const main: KeyView = { ...agent, name: "main", role: "wallet", wallet: null }
  for (const [what, state, changes, fix] of cases) {
    it(`is ${state} for one that ${what}, though another is well`, () => {
      const lines = agentLines([main, agent, { ...agent, ...changes }], at)
      assert.deepEqual(states(lines), [state])
      assert.match(lines[0]?.fix ?? "", fix)
    })
  }

  it("proposes no rotation and no approval by a wallet that isn't held here", () => {
    const wallet = `0x${"0a".repeat(20)}`
    const far = { ...agent, wallet, expires_at: nowMs + weekMs }
    const fixOf = (key: KeyView) => agentLines([main, key], at)[0]?.fix
    const next = `countersign agent approve <new-key> --generate --wallet ${wallet} --external --valid-days 30`
    assert.equal(fixOf(far), next)
    const byIt = `countersign agent approve mm --wallet ${wallet} --external --valid-days 30`
    assert.equal(fixOf({ ...far, approval: "unknown", expires_at: null }), byIt)
  })

  it("names targets that can be signed for", () => {
    const withTarget = profileOf(
      'agent_message_with_target: "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)"',
    )
    const [line] = agentLines([{ ...agent, targets: [target] }], { ...at, profile: withTarget })
    assert.equal(line?.state, "ok")
    assert.ok(line.message.includes(target))
  })

  it("leaves paper keys out, which are of another network and approved by nobody", () => {
    const paper: KeyView = { ...agent, name: "mm.paper", network: "0x00", approval: "unknown" }
    assert.deepEqual(agentLines([agent, paper], at), agentLines([agent], at))
    assert.deepEqual(agentLines([paper], at), agentLines([], at))
  })

  it("misses an agent where there are only wallets and keys that have ended", () => {
    const wallet: KeyView = { ...agent, role: "wallet" }
    const retired: KeyView = { ...agent, approval: "retired" }
    assert.deepEqual(states(agentLines([wallet, retired], at)), ["missing"])
  })
})
