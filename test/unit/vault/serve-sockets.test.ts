import assert from "node:assert/strict"
import { once } from "node:events"
import { connect } from "node:net"
import { describe, it } from "node:test"
import { setImmediate as turn } from "node:timers/promises"

import { pathsOf } from "../../../src/vault/config/installation.ts"
import { serveSockets } from "../../../src/vault/serve-sockets.ts"
import { openTestVault } from "../../support/open-test-vault.ts"

async function answers(path: string): Promise<boolean> {
  const socket = connect(path)
  const isThere = await once(socket, "connect").then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}

describe("the sockets of a vault", () => {
  it("are there for an operator before any gate is answered, so that whoever hears that it is ready can ask", async (t) => {
    const test = await openTestVault({})
    t.after(() => test.remove())
    const { botSocket, adminSocket } = pathsOf(test.installation)
    const serving = serveSockets(
      test.vault,
      { reload: () => Promise.reject(new Error()) },
      new Map(),
    )
    while (!(await answers(botSocket))) await turn()
    const isAdminThere = await answers(adminSocket)
    for (const server of await serving) await server.close()
    assert.ok(isAdminThere)
  })
})
