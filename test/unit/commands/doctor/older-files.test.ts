import assert from "node:assert/strict"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"

import { sandboxPanic } from "../../../../src/sandbox/profile.ts"
import { fileFindings } from "../../../../src/commands/doctor/file-findings.ts"
import { whatIsKnown } from "../../../../src/commands/doctor/examine.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import {
  makeTestInstallation,
  venueWithOpenCancels,
  writePolicies,
} from "../../../support/open-test-vault.ts"

const treasury = `policy: treasury
rules: [{name: out, endpoints: [withdraw]}]
limits:
  - {name: daily, endpoints: [withdraw], sum: {pointer: /amount, by: /asset}, window: 1h, max: 5}
`
const trading = "policy: p\nrules: [{name: r, endpoints: [placeOrder, placeBatch]}]\n"

async function findingsOf(t: TestContext, policy: string, venue: string) {
  const made = await makeTestInstallation({ venue, policies: [trading] })
  t.after(() => made.remove())
  const { installation } = made
  await writePolicies(installation, [policy])
  const { files } = await whatIsKnown(installation)
  return fileFindings(files, installation).filter(({ state }) => state !== "ok")
}

describe("the files of an installation that was made before", () => {
  it("pass, with what is refused of requests now and the line that changes it", async (t) => {
    const venue = venueWithOpenCancels().replace(/(placeBatch: \{action_tag: \d+)[^}]*/, "$1")
    const found = await findingsOf(t, trading, venue)
    assert.deepEqual([...new Set(found.map(({ state }) => state))], ["warn"])
    const said = found.map(({ message }) => message).join("\n")
    assert.match(said, /placeBatch is refused.*endpoints: \{placeBatch: \{action_tag: \d+, items/)
    for (const id of ["cancelOrder", "cancelBatch", "cancelAll"]) {
      assert.match(said, new RegExp(`${id} .*endpoints: \\{${id}: \\{action_tag: \\d+, .*fields: `))
    }
  })

  it("fail where a rule lets a bot choose what a limit sums by, at the rule's line", async (t) => {
    const found = await findingsOf(t, treasury, venueWithOpenCancels())
    assert.deepEqual(
      found.map(({ state, message }) => [
        state,
        /0\.yaml:2:\d+: must list the values/.test(message),
      ]),
      [["fail", true]],
    )
  })

  it("fail where a panic's cancel has a field of an order's own, at its line", async (t) => {
    const made = await makeTestInstallation({
      venue: venueWithOpenCancels().replace(sandboxPanic, ""),
    })
    t.after(() => made.remove())
    const { installation } = made
    const { venueFile } = pathsOf(installation)
    const line = readFileSync(venueFile, "utf8").trimEnd().split("\n").length + 2
    writeFileSync(venueFile, `${readFileSync(venueFile, "utf8").trimEnd()}\n`)
    appendFileSync(venueFile, `panic:\n  - {operation: cancelAll, body: '{"side": "buy"}'}\n`)
    const { files } = await whatIsKnown(installation)
    const [failure] = fileFindings(files, installation)
    assert.equal(failure?.state, "fail")
    assert.match(failure.message, new RegExp(`venue\\.yaml:${line}:\\d+: .*only orders have this`))
  })
})
