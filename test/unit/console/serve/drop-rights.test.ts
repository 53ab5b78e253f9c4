import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { dropRights, type Rights } from "../../../../src/console/serve/drop-rights.ts"

const alice = { uid: 1_000, gid: 100 }

/** Root's process, and in what order it gave up what. */
function rootProcess(changes: Partial<Rights> = {}) {
  let [uid, gid] = [0, 0]
  let groups = [0, 27]
  const steps: string[] = []
  const denied = (): void => {
    throw Object.assign(new Error("setuid EPERM"), { code: "EPERM" })
  }
  const set = (name: string, change: () => void): void => {
    if (uid !== 0) denied()
    steps.push(name)
    change()
  }
  const rights: Rights = {
    getuid: () => uid,
    geteuid: () => uid,
    getgid: () => gid,
    getegid: () => gid,
    getgroups: () => [...groups, gid],
    setgroups: () => set("groups", () => void (groups = [])),
    setgid: (id) => set("gid", () => void (gid = Number(id))),
    setegid: denied,
    setuid: (id) => set("uid", () => void (uid = Number(id))),
    seteuid: denied,
    ...changes,
  }
  return { rights, steps }
}

describe("giving up root's rights", () => {
  it("gives up groups and group before the user, who couldn't any more", () => {
    const { rights, steps } = rootProcess()
    dropRights(alice, rights)
    assert.deepEqual(steps, ["groups", "gid", "uid"])
    assert.deepEqual([rights.getuid(), rights.getgid(), rights.getgroups()], [1_000, 100, [100]])
  })

  for (const [what, changes] of [
    ["its user", { getuid: () => 0 }],
    ["its effective user", { geteuid: () => 0 }],
    ["its group", { getgid: () => 0 }],
    ["its effective group", { getegid: () => 0 }],
    ["one of its groups", { getgroups: () => [100, 27] }],
    ["a way back to root", { seteuid: () => undefined }],
    ["a way back to root's group", { setegid: () => undefined }],
  ] as const) {
    it(`is checked: nothing is served where ${what} is left`, () => {
      assert.throws(() => dropRights(alice, rootProcess(changes).rights), /so it serves nothing/)
    })
  }

  it("fails where the system refuses", () => {
    const setgid = (): void => {
      throw new Error("setgid EPERM")
    }
    assert.throws(() => dropRights(alice, rootProcess({ setgid }).rights), /EPERM/)
  })
})
