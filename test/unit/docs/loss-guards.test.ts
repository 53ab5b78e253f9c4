import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseAccountMap } from "../../../src/gate/reads/account-map.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { lossShape } from "../../../src/vault/policy/file/loss-schema.ts"
import { parsePolicies } from "../../../src/vault/policy/file/policy-file.ts"
import { formatDecimal } from "../../../src/venue/decimal.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"
import { parseCommand } from "../../support/named-commands.ts"
import { commandLines } from "../../support/page-blocks.ts"

const page = readRepositoryFile("docs/loss-guards.md")
const [equity = "", policy = ""] = fencedBlocks(page, "yaml")

const firstWords = (title: string) =>
  tableRows(sectionOf(page, title)).flatMap(([first = ""]) => codesIn(first))

/** The sandbox's venue.yaml with what both pages add to it. */
function profile() {
  const account = fencedBlocks(readRepositoryFile("docs/guards.md"), "yaml").find((text) =>
    text.startsWith("account:"),
  )
  const added = `${account ?? "?"}${equity.replace(/^account:\n.*\n/, "")}`
  const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })}${added}`
  const parsed = parseProfile(venue, "venue.yaml")
  return parsed.ok ? parsed.value : assert.fail(parsed.error.map(problemText).join("\n"))
}

function guards() {
  const files = [{ file: "losses.yaml", text: policy }]
  const parsed = parsePolicies(files, profile())
  return parsed.ok
    ? parsed.value.flatMap((each) => each.guards)
    : assert.fail(parsed.error.map(problemText).join("\n"))
}

describe("docs/loss-guards.md", () => {
  it("shows lines that have the sandbox's equity read, after those of guards.md", () => {
    const { accountPoll } = profile()
    assert.ok(accountPoll?.hasEquity)
    assert.ok(parseAccountMap(accountPoll.map).ok)
    assert.match(readRepositoryFile("docs/sandbox.md"), /`GET \/v1\/account\/equity`/)
  })

  it("shows a guard of each kind, and tells each of them and what is taken without a word", () => {
    const losses = guards().map(({ loss }) => loss ?? assert.fail("it bounds no losses"))
    const kinds = losses.map(({ kind }) => kind)
    assert.deepEqual(kinds, ["daily_loss", "loss", "drawdown"])
    assert.deepEqual(firstWords("Set it up"), kinds)
    const [{ shock, maxAgeMs, then } = assert.fail("there is none")] = losses
    assert.deepEqual([formatDecimal(shock), maxAgeMs, then], ["0.01", 60_000, "reduce_only"])
    assert.match(page, /1 % \(`shock`\)/)
    assert.match(page, /`max_age` \(60 s\)/)
    assert.match(page, /`reduce_only` is what you get without `then`/)
    for (const key of Object.keys(lossShape)) assert.ok(page.includes(key), key)
  })

  it("says what follows of each word of then", () => {
    const words = firstWords("When it trips")
    assert.deepEqual(words, ["refuse", "reduce_only", "freeze"])
    for (const word of words) assert.ok(lossShape.then.safeParse(word).success, word)
  })

  it("lists every word of why a loss can't be told, and no other", () => {
    const source = readRepositoryFile("src/vault/guards/guard.ts")
    const [, type = ""] = /type LossUnknown = (.*)/.exec(source) ?? []
    const words = [...type.matchAll(/"(\w+)"/g)].map(([, word = ""]) => word)
    assert.equal(words.length, 3)
    assert.deepEqual(firstWords("When it can't tell"), words)
  })

  it("names commands as they can be typed", async () => {
    const lines = fencedBlocks(page, "sh").flatMap(commandLines)
    assert.equal(lines.length, 3)
    for (const line of lines) await assert.doesNotReject(parseCommand(line), line)
  })

  it("shows what limits show prints of them", () => {
    const source = readRepositoryFile("src/commands/limits.ts")
    const [, head = ""] = /const head = \[(.*)\]/.exec(source) ?? []
    const [shown = ""] = fencedBlocks(sectionOf(page, "When it trips"), "text")
    const columns = head.split(", ").map((word) => word.replaceAll('"', ""))
    assert.deepEqual(shown.split("\n")[0]?.split(/ {2,}/), columns)
  })

  it("names what a refusal, an alarm and the log say", () => {
    const logs = readRepositoryFile("docs/logs.md")
    const codes = readRepositoryFile("docs/error-codes.md")
    for (const word of ["guard_exceeded", "guard_tripped", "guard_unreadable"]) {
      assert.ok(page.includes(`\`${word}\``) && codes.includes(`\`${word}\``), word)
    }
    for (const event of ["account_deposit", "account_poll_failed"]) {
      assert.ok(page.includes(`\`${event}\``) && logs.includes(`\`${event}\``), event)
    }
  })
})
