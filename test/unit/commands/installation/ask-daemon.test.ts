import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { askStatus } from "../../../../src/commands/installation/ask-daemon.ts"
import { statusView } from "../../../support/status-view.ts"

const answering = (status: unknown) =>
  ({ call: () => Promise.resolve(status) }) as unknown as Parameters<typeof askStatus>[0]

describe("the status of a daemon", () => {
  it("is what it answers", async () => {
    assert.equal(await askStatus(answering(statusView)), statusView)
  })

  it("isn't read where another version answers in its own form, as before a restart", async () => {
    await assert.rejects(askStatus(answering({ ...statusView, state: "ready" })), {
      code: "vault_unavailable",
      message: /another version of countersign; restart it/,
    })
  })
})
