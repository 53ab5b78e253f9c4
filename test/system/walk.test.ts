import assert from "node:assert/strict"
import { before, describe, it } from "node:test"

import { keepOutput } from "../support/canaries.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { lacking, needs } from "../support/needs.ts"
import { stableText, walkPage, walkPagePath } from "../support/walk-page.ts"
import { walk } from "../support/walk.ts"

// Elsewhere `init` would take the real keychain, which no variable of the environment hides.
const missing = [
  ...(process.platform === "linux"
    ? []
    : [lacking("needs Linux: other keychains can't be hidden")]),
  needs("tmux", "apt-get install tmux"),
  needs("curl", "apt-get install curl"),
].find(({ skip }) => skip !== undefined)

describe("the walk to a signed order", { timeout: 240_000, ...missing }, () => {
  let page: string
  before(async () => {
    page = await walkPage(await walk())
    keepOutput("the terminals of the walk", page)
  })

  it("looks as docs/walk.md shows it; npm run walk writes that anew", () => {
    assert.equal(stableText(page), stableText(readRepositoryFile(walkPagePath)))
  })

  for (const [what, shown] of [
    ["says where keys rest, and why", /^Keys rest in an encrypted keystore: There is no D-Bus/m],
    [
      "asks twice for a new passphrase",
      /^◇ {2}New passphrase of the keystore, once more\n│ {2}▪+$/m,
    ],
    ["signs the order", /^\{.*"quantity":"0\.1".*"signature":\{"r":"0x/m],
    ["has the agent approved", /^mm is approved until /m],
    ["has the venue take the order", /^\{"code":"0".*"order_id":"\d+"/m],
    ["refuses the other by the rule's file and line", /"file":"policies\/bot\.yaml","line":4/],
    ["locks", /^Locked: no key is in memory\./m],
    ["unlocks", /^Unlocked: 2 keys are in memory\.$/m],
  ] as const) {
    it(what, () => {
      assert.match(page, shown)
    })
  }
})
