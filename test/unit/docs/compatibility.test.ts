import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { utf8 } from "../../../src/std/bytes.ts"
import { isJsonObject, parseStrictJson } from "../../../src/venue/json.ts"
import { parseOrder } from "../../../src/venue/payload/parse-order.ts"
import { readRepositoryFile, sectionOf } from "../../support/markdown.ts"
import { testProfile } from "../../support/test-profile.ts"

const page = readRepositoryFile("docs/compatibility.md")

/** The cells of a section's table, without their code marks. */
function rowsOf(title: string): readonly (readonly string[])[] {
  return sectionOf(page, title)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim().replaceAll("`", "")))
}

/** What becomes of an order with a number written so, as the page says it. */
function becomesOf(member: string, written: string): string {
  const fields = {
    ...{ symbol_id: "1", is_buy: "true", order_type: '"limit"', price: '"63000"' },
    ...{ quantity: '"0.1"', [member]: written },
  }
  const pairs = Object.entries(fields).map(([name, value]) => `"${name}": ${value}`)
  const json = parseStrictJson(utf8(`{${pairs.join(", ")}}`))
  if (!json.ok) return "refused, invalid_json"
  assert.ok(isJsonObject(json.value))
  const order = parseOrder(json.value, { path: "", alsoAllowed: [] }, testProfile().symbols)
  return order.ok ? "taken as it is" : "refused, invalid_request"
}

describe("docs/compatibility.md on numbers", () => {
  const rows = rowsOf("Numbers, as bots' languages write them")

  it("has amounts and whole numbers", () => {
    const members = rows.map(([member]) => member)
    assert.ok(rows.length > 20)
    assert.deepEqual([...new Set(members)], ["quantity", "symbol_id"])
  })

  for (const [member = "", written = "", , becomes] of rows) {
    it(`says what becomes of ${member}: ${written}`, () => {
      assert.equal(becomesOf(member, written), becomes)
    })
  }
})

describe("docs/compatibility.md on libraries", () => {
  it("names the versions that tests run", () => {
    const { devDependencies } = JSON.parse(readRepositoryFile("package.json")) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    const section = sectionOf(page, "Libraries that make the same digests")
    for (const name of ["ethers", "viem"])
      assert.match(section, new RegExp(`^\\| ${name} ${devDependencies[name]} `, "m"))
  })
})
