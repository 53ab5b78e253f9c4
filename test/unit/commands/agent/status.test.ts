import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agentsTable, agentView } from "../../../../src/commands/agent/agents.ts"
import type { KeyView } from "../../../../src/contract/bot-views.ts"
import { inPipe } from "../../../support/in-pipe.ts"

const dayMs = 86_400_000
const nowMs = Date.parse("2026-11-21T12:00:00Z")
const agent: KeyView = {
  name: "mm",
  address: "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23",
  role: "agent",
  wallet: null,
  targets: [],
  network: "n",
  approval: "approved",
  expires_at: nowMs,
  last_used: null,
  locked: false,
}

describe("the days left of an approval", () => {
  const cases: readonly (readonly [leftMs: number, days: number])[] = [
    [30 * dayMs, 30],
    [30 * dayMs - 1, 29],
    [1, 0],
    [0, 0],
    [-dayMs, 0],
  ]
  for (const [leftMs, days] of cases) {
    it(`are ${days} with ${leftMs} ms left`, () => {
      const view = agentView({ ...agent, expires_at: nowMs + leftMs }, nowMs)
      assert.equal(view.days_left, days)
    })
  }

  it("are none to tell without an approval that is known", () => {
    assert.equal(agentView({ ...agent, expires_at: null }, nowMs).days_left, null)
    for (const approval of ["unknown", "revoked", "retired", "removed"] as const) {
      assert.equal(agentView({ ...agent, approval }, nowMs).days_left, null)
    }
  })
})

describe("the table of agent keys", () => {
  it("says when each signed last, in UTC", () => {
    const views = [
      agentView({ ...agent, wallet: "main", last_used: nowMs }, nowMs),
      agentView({ ...agent, name: "new", approval: "unknown", expires_at: null }, nowMs),
    ]
    const [titles, ...rows] = inPipe(agentsTable(views))
      .split("\n")
      .map((line) => line.split(/ {2,}/))
    assert.deepEqual(titles, ["NAME", "ADDRESS", "WALLET", "APPROVAL", "DAYS LEFT", "LAST USED"])
    assert.deepEqual(rows, [
      ["mm", agent.address, "main", "approved", "0", "2026-11-21T12:00:00Z"],
      ["new", agent.address, "-", "unknown", "-", "never"],
    ])
  })

  it("says how to make one when there is none", () => {
    assert.match(inPipe(agentsTable([])), /agent approve NAME --generate/)
  })
})
