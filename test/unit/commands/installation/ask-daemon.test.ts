import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { askStatus } from "../../../../src/commands/installation/ask-daemon.ts"
import { faultOf, rpcErrors } from "../../../../src/link/wire.ts"
import { calmFacts } from "../../../support/facts.ts"
import { statusView } from "../../../support/status-view.ts"

const answering = (status: unknown, facts = calmFacts) => {
  const call = (method: string) => Promise.resolve(method === "facts" ? facts : status)
  return { call } as unknown as Parameters<typeof askStatus>[0]
}

describe("the status of a daemon", () => {
  it("is what it answers, with what alarms by the facts that it tells", async () => {
    const { alarms, ...status } = statusView
    assert.deepEqual(await askStatus(answering(status)), { ...status, alarms })
    const differing = { ...calmFacts, at: 300_000, files_differ: { since: 0, fix: "reload" } }
    const told = await askStatus(answering(status, differing))
    assert.deepEqual(
      told.alarms.map(({ name }) => name),
      ["files_differ"],
    )
  })

  it("isn't read where another version doesn't know what it is asked for", async () => {
    const call = (method: string) =>
      method === "status"
        ? Promise.resolve(statusView)
        : Promise.reject(faultOf(rpcErrors.unknownMethod))
    await assert.rejects(askStatus({ call } as unknown as Parameters<typeof askStatus>[0]), {
      code: "vault_unavailable",
      message: /another version of countersign; restart it/,
    })
  })

  it("isn't read where another version answers in its own form, as before a restart", async () => {
    await assert.rejects(askStatus(answering({ ...statusView, state: "ready" })), {
      code: "vault_unavailable",
      message: /another version of countersign; restart it/,
    })
  })
})
