import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { serverUser } from "../../../../src/commands/console/start-server.ts"

const owner = { uid: 990, gid: 990 }
const nobody = { uid: 65_534, gid: 65_534 }
const alice = { uid: 1_000, gid: 100 }

const bySudo = (uid: string, gid: string) => ({ SUDO_UID: uid, SUDO_GID: gid })
const asRoot = (environment: NodeJS.ProcessEnv, of: typeof owner | undefined = owner) =>
  serverUser(of, { uid: 0, environment })

describe("whose process the console's server is", () => {
  it("is the user behind sudo", () => {
    assert.deepEqual(asRoot(bySudo("1000", "100")), alice)
    assert.deepEqual(asRoot(bySudo("1000", "100"), undefined), alice)
    assert.deepEqual(asRoot(bySudo("1000", "100"), { uid: 0, gid: 0 }), alice)
    const largest = { uid: 4_294_967_294, gid: 4_294_967_294 }
    assert.deepEqual(asRoot(bySudo("4294967294", "4294967294")), largest)
  })

  it("is nobody where root starts it without sudo", () => {
    assert.deepEqual(asRoot({}), nobody)
    assert.deepEqual(asRoot({}, { uid: 0, gid: 0 }), nobody)
  })

  it("is never root nor the installation's owner, by user or by group", () => {
    for (const [uid, gid] of [
      ...[
        ["0", "0"],
        ["1000", "0"],
        ["0", "100"],
      ],
      ...[
        ["990", "990"],
        ["990", "100"],
        ["1000", "990"],
      ],
    ] as const) {
      assert.deepEqual(asRoot(bySudo(uid, gid)), nobody, `${uid} ${gid}`)
    }
  })

  it("is nobody where what sudo says is no id", () => {
    for (const text of ["", "alice", "-1", "1e3", "0x3e8", "4294967295", "4294967296", " 1000"]) {
      assert.deepEqual(asRoot(bySudo(text, "100")), nobody, text)
      assert.deepEqual(asRoot(bySudo("1000", text)), nobody, text)
    }
    assert.deepEqual(asRoot({ SUDO_UID: "1000" }), nobody)
  })

  it("isn't there where the installation is nobody's own", () => {
    assert.throws(() => asRoot({}, nobody), {
      code: "usage",
      message: /server runs as the user nobody, who owns this installation/,
    })
    assert.deepEqual(asRoot(bySudo("1000", "100"), nobody), alice)
  })

  it("is who started it where that isn't root, whatever the environment says", () => {
    assert.equal(serverUser(owner, { uid: 1_000, environment: bySudo("5", "5") }), undefined)
  })
})
