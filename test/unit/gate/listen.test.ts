import assert from "node:assert/strict"
import { closeSync, openSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { describe, it } from "node:test"

import { portOf, type GateServer } from "../../../src/gate/gate-server.ts"
import { listen } from "../../../src/gate/listen.ts"

const address = { host: "127.0.0.1", port: 0 }

/** A gate of bare servers. */
function bareGate(): { readonly gate: GateServer; readonly opened: readonly Server[] } {
  const opened: Server[] = []
  const open = (): Server => {
    const http = createServer()
    opened.push(http)
    return http
  }
  return { gate: { open, stop: () => Promise.resolve() }, opened }
}

describe("a gate listens", () => {
  it("on its address where no socket was handed over", async (t) => {
    const { gate, opened } = bareGate()
    const servers = await listen(gate, { descriptors: new Map(), ...address })
    t.after(() => servers.forEach((http) => http.close()))
    assert.deepEqual(servers, opened)
    assert.ok(portOf(servers[0]!) > 0)
  })

  it("on nothing that isn't a socket, and says which it was", async (t) => {
    const file = openSync(import.meta.filename, "r")
    t.after(() => closeSync(file))
    const { gate, opened } = bareGate()
    const descriptors = new Map([["unix", file]])
    await assert.rejects(listen(gate, { descriptors, ...address }), {
      code: "port_unusable",
      message: /handed over as unix \(\w+\); its unit must listen/,
    })
    assert.deepEqual(
      opened.map((http) => http.listening),
      [false],
    )
  })
})
