import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  nextCommands,
  unpricedSymbols,
  venueGaps,
  type NewlyMade,
  mainVenueText,
} from "../../../../src/commands/init/init-texts.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import type { Profile } from "../../../../src/venue/profile.ts"
import { parseProfile } from "../../../../src/venue/profile/profile-file.ts"

const asOf = new Date("2026-11-20T12:00:00Z")
const main = profileOf(mainVenueText(undefined))
const sandbox = profileOf(sandboxProfile({ url: sandboxUrl, asOf }))
const tags = ["cancelOrder: {action_tag: 11}", "cancelBatch: {action_tag: 12, items: /a}"]
const symbol = "{id: 1, name: BTC-PERP, market: perp, quote: USD"
const priced = `${symbol}, reference_price: {value: 5, as_of: ${asOf.toISOString()}, max_age: 1h}}`

describe("what venue.yaml lacks", () => {
  for (const [what, more, gaps] of [
    ["everything", "", ["base_url", "endpoints", "symbols"]],
    ["all but base_url", "base_url: https://a.example", ["endpoints", "symbols"]],
    ["the rest when a symbol is listed", `symbols: [${symbol}}]`, ["base_url", "endpoints"]],
  ] as const) {
    it(`is ${what}`, () => {
      const lines = venueGaps(profileOf(`extends: builtin\n${more}\n`))
      assert.deepEqual(
        lines.map((line) => line.split(":")[0]),
        gaps,
      )
      for (const line of lines) assert.match(line, /^[^#]+ {3}# else /)
    })
  }

  it("names only the cancels whose tag isn't there", () => {
    const some = profileOf(`extends: builtin\nendpoints: {${tags.join(", ")}}\n`)
    const [, line = ""] = venueGaps(some)
    assert.match(line, /^endpoints: \{cancelAll: \{action_tag: <0-255>\}\} /)
    const all = `extends: builtin\nendpoints: {${tags.join(", ")}, cancelAll: {action_tag: 13}}\n`
    assert.doesNotMatch(venueGaps(profileOf(all)).join("\n"), /endpoints/)
  })

  it("is nothing in the sandbox's", () => {
    assert.deepEqual(venueGaps(sandbox), [])
  })
})

describe("a symbol without a price", () => {
  const endMs = asOf.getTime() + 3_600_000
  for (const [what, entry, nowMs, isUnpriced] of [
    ["that has no reference_price", `${symbol}}`, endMs, true],
    ["whose price is a millisecond from its end", priced, endMs - 1, false],
    ["whose price has just ended", priced, endMs, true],
  ] as const) {
    it(`is ${isUnpriced ? "" : "not "}one ${what}`, () => {
      const profile = profileOf(`extends: builtin\nsymbols: [${entry}]\n`)
      assert.equal(unpricedSymbols(profile, nowMs).length === 1, isUnpriced)
    })
  }
})

describe("the next commands", () => {
  it("lead from a wallet's key to the venue's approval", () => {
    assert.deepEqual(verbsOf({}), [
      "keys import --name main --role wallet < key.hex",
      "keys generate --name mm --role agent --wallet main",
      "clients add bot --keys mm",
      "policy check",
      "serve",
      "prices set BTC-PERP PRICE",
      "agent approve mm --valid-days 30",
      "doctor",
    ])
  })

  it("start the daemon first where keys rest in its memory", () => {
    const verbs = verbsOf({ backend: "memory" })
    assert.equal(verbs[0], "serve")
    assert.ok(verbs.includes("policy reload") && !verbs.includes("policy check"))
  })

  it("start the sandbox before the daemon, make its wallet, and set no price that it has", () => {
    const verbs = verbsOf({ profile: sandbox, isSandbox: true })
    assert.equal(verbs[0], "keys generate --name main --role wallet")
    assert.equal(verbs.indexOf("sandbox"), verbs.indexOf("serve") - 1)
    assert.ok(verbs.every((verb) => !verb.startsWith("prices")))
  })

  it("say which files are to be edited, venue.yaml only where it lacks something", () => {
    const edit = (profile: Profile) => nextOf({ profile }).find((line) => line.includes("edited"))
    assert.match(edit(main) ?? "", /edited \/c\/venue\.yaml and \/c\/policies\/example\.yaml$/)
    assert.match(edit(sandbox) ?? "", /edited \/c\/policies\/example\.yaml$/)
  })

  it("quote a symbol for the shell, and count the others that have no price", () => {
    const [one, two] = [
      `{id: 1, name: A$B, market: perp, quote: USD}`,
      `${symbol.replace("1", "2")}}`,
    ]
    const price = (symbols: string) =>
      nextOf({ profile: profileOf(`extends: builtin\nsymbols: [${symbols}]\n`) }).find((line) =>
        line.includes("prices set"),
      )
    assert.match(
      price(one) ?? "",
      /^countersign prices set 'A\$B' PRICE {3}# without a price, .* sized$/,
    )
    assert.match(price(`${one}, ${two}`) ?? "", /sized; 1 more have none either$/)
  })
})

function nextOf(made: Partial<NewlyMade>): readonly string[] {
  const installation = { configDir: "/c", stateDir: "/s" }
  const usual = { installation, profile: main, isSandbox: false, backend: "keystore" } as const
  return nextCommands({ ...usual, nowMs: asOf.getTime(), ...made })
}

/** The commands without `countersign` and without their comments. */
function verbsOf(made: Partial<NewlyMade>): readonly string[] {
  return nextOf(made).map((line) => line.replace(/^countersign /, "").replace(/ {3}#.*$/, ""))
}

function profileOf(text: string): Profile {
  const read = parseProfile(text, "venue.yaml")
  assert.ok(read.ok)
  return read.value
}
