import assert from "node:assert/strict"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import {
  listEntries,
  permissionFindings,
  unreadableFindings,
  type Entry,
} from "../../../../src/commands/doctor/file-findings.ts"

const uid = 1_000
const here = { uid, stateDir: "/d", where: "--dir /d" }

function entry(changes: Partial<Entry>): Entry {
  return {
    path: "/d/file",
    keeping: "private",
    kind: "file",
    uid,
    gid: uid,
    mode: 0o600,
    writtenMs: 0,
    ...changes,
  }
}

describe("doctor on permissions", () => {
  const cases: readonly (readonly [Partial<Entry>, "ok" | "warn" | "fail", string | null])[] = [
    [{ mode: 0o600 }, "ok", null],
    [{ mode: 0o640 }, "fail", "chmod 600 /d/file"],
    [{ mode: 0o604 }, "fail", "chmod 600 /d/file"],
    [{ kind: "directory", mode: 0o700 }, "ok", null],
    [{ kind: "directory", mode: 0o710 }, "fail", "chmod 700 /d/file"],
    [{ uid: uid + 1 }, "fail", `chown ${uid} /d/file`],
    [{ uid: 0 }, "ok", null],
    // A systemd credential: root's, with an ACL for the daemon's user that shows as a group's right.
    [{ uid: 0, gid: 0, mode: 0o440 }, "ok", null],
    [{ uid: 0, gid: 0, mode: 0o444 }, "fail", "chmod 600 /d/file"],
    [{ keeping: "trusted", mode: 0o644 }, "ok", null],
    [{ keeping: "trusted", mode: 0o664 }, "fail", "chmod go-w /d/file"],
    [{ keeping: "trusted", mode: 0o646 }, "fail", "chmod go-w /d/file"],
    [{ keeping: "trusted", uid: 0, mode: 0o644 }, "ok", null],
    [{ keeping: "trusted", uid: 5, mode: 0o644 }, "fail", `chown ${uid} /d/file`],
    [{ keeping: "own", mode: 0o600 }, "ok", null],
    [{ keeping: "own", mode: 0o640 }, "warn", "chmod 600 /d/file"],
    [{ keeping: "own", kind: "directory", mode: 0o755 }, "warn", "chmod 700 /d/file"],
    [{ keeping: "own", mode: 0o620 }, "fail", "chmod go-w /d/file"],
    [{ keeping: "socket", kind: "socket", mode: 0o660 }, "ok", null],
    [{ keeping: "socket", kind: "socket", mode: 0o666 }, "fail", "chmod o-rwx /d/file"],
    [{ keeping: "trusted", path: "/my d", mode: 0o666 }, "fail", "chmod go-w '/my d'"],
  ]
  for (const [changes, state, fix] of cases) {
    const { mode, ...others } = { mode: 0o600, ...changes }
    it(`is ${state} with ${mode.toString(8)} ${JSON.stringify(others)}`, () => {
      const found = permissionFindings([entry(changes)], here)
      assert.deepEqual(
        found.map((each) => [each.state, each.fix]),
        [[state, fix]],
      )
    })
  }

  for (const keeping of ["trusted", "private", "own"] as const) {
    it(`fails with a symlink where ${keeping} is wanted`, () => {
      const [found] = permissionFindings([entry({ keeping, kind: "symlink", mode: 0o777 })], here)
      assert.equal(found?.state, "fail")
      assert.equal(found.fix, 'cp --remove-destination "$(readlink -f /d/file)" /d/file')
    })
  }

  it("tells of every path that is wrong, and sums the others up", () => {
    const wrong = [entry({ path: "/a", mode: 0o644 }), entry({ path: "/b" }), entry({ uid: 7 })]
    assert.equal(permissionFindings(wrong, here).length, 2)
    const [found, ...others] = permissionFindings([entry({}), entry({})], here)
    assert.deepEqual([found?.state, others], ["ok", []])
    assert.match(found?.message ?? "", /^2 files/)
  })

  it("has the owner asked where the state directory is another user's, and no owner changed", () => {
    const wrong = [entry({ uid: 7 }), entry({ path: "/d", kind: "directory", mode: 0o700, uid: 7 })]
    const found = permissionFindings(wrong, here)
    assert.deepEqual(
      found.map(({ state, fix }) => [state, fix]),
      [["fail", 'as its owner: sudo -u "$(stat -c %U /d)" countersign doctor --dir /d']],
    )
  })

  it("says of what it can't look at as whom to run it", () => {
    const [found] = unreadableFindings(["/d"], "--dir /d")
    assert.equal(found?.state, "fail")
    assert.match(found.fix, /sudo -u "\$\(stat -c %U \/d\)" countersign doctor --dir \/d/)
  })
})

describe("the files of an installation", () => {
  function place(t: TestContext) {
    const home = mkdtempSync(join(tmpdir(), "cs-"))
    t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }))
    const write = (name: string, mode = 0o600) => {
      mkdirSync(join(home, name, ".."), { recursive: true, mode: 0o700 })
      writeFileSync(join(home, name), "", { mode })
      chmodSync(join(home, name), mode)
    }
    const list = async (installation: { configDir: string; stateDir: string }, secret?: string) => {
      const { entries, unreadable } = await listEntries(
        {
          configDir: join(home, installation.configDir),
          stateDir: join(home, installation.stateDir),
        },
        secret,
      )
      assert.deepEqual(unreadable, [])
      return Object.fromEntries(
        entries.map(({ path, keeping, kind }) => [
          path.slice(home.length + 1),
          `${keeping} ${kind}`,
        ]),
      )
    }
    return { home, write, list }
  }

  const files = [
    "countersign.yaml",
    "venue.yaml",
    "policies/a.yaml",
    "keystore/master.json",
    "keychain/service",
    "ledger.db",
    "ledger.db-wal",
    "admin.secret",
    "notes/todo.txt",
  ]

  const listed = {
    "countersign.yaml": "trusted file",
    "venue.yaml": "trusted file",
    policies: "trusted directory",
    "policies/a.yaml": "trusted file",
    keystore: "private directory",
    "keystore/master.json": "private file",
    keychain: "private directory",
    "keychain/service": "private file",
    "ledger.db": "private file",
    "ledger.db-wal": "private file",
    "admin.secret": "private file",
    notes: "own directory",
    "notes/todo.txt": "own file",
  }

  it("are each listed once in one directory, by the strictest that is said of them", async (t) => {
    const { write, list } = place(t)
    for (const file of files) write(`d/${file}`)
    const expected = Object.entries(listed).map(([name, kept]) => [`d/${name}`, kept])
    assert.deepEqual(await list({ configDir: "d", stateDir: "d" }), {
      d: "own directory",
      ...Object.fromEntries(expected),
    })
  })

  it("are listed in two directories, with the file that opens the keystore", async (t) => {
    const { home, write, list } = place(t)
    write("c/countersign.yaml")
    write("s/ledger.db")
    write("passphrase")
    const found = await list({ configDir: "c", stateDir: "s" }, join(home, "passphrase"))
    assert.deepEqual(found, {
      c: "trusted directory",
      "c/countersign.yaml": "trusted file",
      s: "own directory",
      "s/ledger.db": "private file",
      passphrase: "private file",
    })
  })

  it("are listed as symlinks where they are, and followed only at the top", async (t) => {
    const { home, write, list } = place(t)
    write("real/countersign.yaml")
    write("real/other/key.json")
    symlinkSync(join(home, "real"), join(home, "d"))
    symlinkSync(join(home, "real/other"), join(home, "real/keystore"))
    const found = await list({ configDir: "d", stateDir: "d" })
    assert.equal(found["d"], "own directory")
    assert.equal(found["d/keystore"], "private symlink")
    assert.equal(found["d/keystore/key.json"], undefined)
  })

  it("may all be missing", async (t) => {
    assert.deepEqual(await place(t).list({ configDir: "none", stateDir: "none" }), {})
  })
})
