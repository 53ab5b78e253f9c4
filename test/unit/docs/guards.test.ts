import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseCases } from "../../../src/commands/policy/test/parse-cases.ts"
import { runCase } from "../../../src/commands/policy/test/run-case.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { parseAccountMap } from "../../../src/gate/reads/account-map.ts"
import { parseFileSet } from "../../../src/vault/config/load-files.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import { valuedAccount } from "../../support/guarded-account.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"

const page = readRepositoryFile("docs/guards.md")

/** Every word of why a guard can't tell: those that have an advice. */
function words(): readonly string[] {
  const source = readRepositoryFile("src/vault/request/refuse-guarded.ts")
  const [, advice = ""] = /const advice[^{]*\{([^]*?)\n\}/.exec(source) ?? []
  return [...advice.matchAll(/^ {2}(\w+):/gm)].map(([, word = ""]) => word)
}

const firstWords = (text: string, title: string) =>
  tableRows(sectionOf(text, title)).flatMap(([first = ""]) => codesIn(first))

describe("docs/guards.md", () => {
  it("lists with loss-guards.md every word of why a guard can't tell, and no other, as error-codes.md does", () => {
    const all = [...words()].sort()
    assert.ok(all.includes("no_reading"))
    const ofLosses = firstWords(readRepositoryFile("docs/loss-guards.md"), "When it can't tell")
    const listed = [...firstWords(page, "When a guard can't tell"), ...ofLosses]
    assert.deepEqual(listed.sort(), all)
    const codes = readRepositoryFile("docs/error-codes.md")
    assert.deepEqual([...firstWords(codes, "Why of guard_unreadable")].sort(), all)
  })

  it("shows an account section that goes with the sandbox's venue.yaml", () => {
    const section = fencedBlocks(page, "yaml").find((text) => text.startsWith("account:"))
    const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
    const profile = parseProfile(`${venue}${section ?? "?"}`, "venue.yaml")
    assert.equal(profile.ok ? "" : profile.error.map(problemText).join("\n"), "")
    assert.ok(profile.ok && profile.value.accountPoll?.map)
    assert.ok(parseAccountMap(profile.value.accountPoll.map).ok)
  })

  it("shows a case that its guard refuses", () => {
    const [block = ""] = fencedBlocks(sectionOf(page, "Try them by cases"), "yaml")
    const policy = `policy: exposure
rules: [{name: trade, endpoints: [placeOrder]}]
guards: [{name: small, max_position: {BTC-PERP: {net: "1"}}}]
`
    const files = parseFileSet([
      { name: "countersign.yaml", text: "keystore: {backend: memory}\n" },
      {
        name: "venue.yaml",
        text: sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }) + valuedAccount,
      },
      { name: "policies/exposure.yaml", text: policy },
    ])
    assert.ok(files.ok)
    const text = `clients: [bot]\nkeys: {mm: {}}\ncases:\n${block.replace(/^(?=.)/gm, "  ")}`
    const read = parseCases({ file: "cases.yaml", text }, files.value)
    assert.equal(read.ok ? "" : read.error.map(problemText).join("\n"), "")
    assert.ok(read.ok && read.value.cases[0])
    const { got } = runCase(read.value.cases[0], read.value, files.value)
    assert.deepEqual(got.rules, ["exposure/small"])
  })

  it("says every number of a refusal that a bot is told", () => {
    const source = readRepositoryFile("src/vault/request/refuse-guarded.ts")
    const [, figures = ""] = /const figures = \{([^]*?)\n {2}\}/.exec(source) ?? []
    const told = [...figures.matchAll(/^ {4}(\w+):/gm)].map(([, name = ""]) => name)
    assert.equal(told.length, 6)
    assert.deepEqual(firstWords(page, "What a refusal says").slice(0, 8), [
      ...told,
      "freed",
      "read_at",
    ])
  })
})
