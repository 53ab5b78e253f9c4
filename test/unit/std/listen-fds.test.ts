import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { listenFds } from "../../../src/std/listen-fds.ts"

const given = { LISTEN_PID: "7", LISTEN_FDS: "2", LISTEN_FDNAMES: "bot:admin" }

describe("sockets that systemd hands over", () => {
  it("are found by name, from the third descriptor on", () => {
    assert.deepEqual(
      [...listenFds({ ...given }, 7)],
      [
        ["bot", 3],
        ["admin", 4],
      ],
    )
  })

  it("are none of another process's", () => {
    assert.equal(listenFds({ ...given }, 8).size, 0)
    assert.equal(listenFds({}, 7).size, 0)
  })

  it("are named no further to whoever is started from here", () => {
    const environment: NodeJS.ProcessEnv = { ...given, PATH: "/bin" }
    listenFds(environment, 7)
    assert.deepEqual(environment, { PATH: "/bin" })
  })

  for (const [what, names] of [
    ["fewer names than sockets", "bot"],
    ["more names than sockets", "bot:admin:third"],
    ["one name twice", "bot:bot"],
  ] as const) {
    it(`are refused with ${what}`, () => {
      const read = () => listenFds({ ...given, LISTEN_FDNAMES: names }, 7)
      assert.throws(read, { code: "usage", message: /FileDescriptorName=/ })
    })
  }
})
