import assert from "node:assert/strict"
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  assertNotPackaged,
  assertServiceable,
  assertStartable,
} from "../../../../src/commands/service/assert-serviceable.ts"
import { fakeSystem, type FakeSystem } from "../../../support/fake-system.ts"

const version = "systemctl --version"

describe("a machine for the services", () => {
  let system: FakeSystem
  afterEach(() => system.remove())

  function machine(said: string): void {
    system = fakeSystem({ [version]: { stdout: said } })
    mkdirSync(join(system.root, "/run/systemd/system"), { recursive: true })
  }

  it("is one with systemd 252, for root", () => {
    machine("systemd 252 (252.39-1~deb12u2)\n+PAM\n")
    assertServiceable(system, 0)
  })

  it("isn't one with systemd 251", () => {
    machine("systemd 251 (251.1)\n")
    assert.throws(
      () => assertServiceable(system, 0),
      /^Fault: This is systemd 251, .* 252 \(Debian 12\) or newer/,
    )
  })

  it("isn't one for another user", () => {
    machine("systemd 252\n")
    assert.throws(() => assertServiceable(system, 1000), /so run it as root\./)
  })

  it("isn't one that something else than systemd has started", () => {
    system = fakeSystem({ [version]: { stdout: "systemd 252\n" } })
    assert.throws(() => assertServiceable(system, 0), /doesn't run systemd; .* countersign serve/)
  })
})

describe("a machine for the services of install-service", () => {
  let system: FakeSystem
  beforeEach(() => {
    system = fakeSystem()
  })
  afterEach(() => system.remove())

  it("isn't one that has the Debian package's, and it is said what to run instead", () => {
    system.put("/usr/lib/systemd/system/countersign.target", "[Unit]\n")
    assert.throws(() => assertNotPackaged(system), {
      code: "usage",
      message:
        /^The Debian package has .* countersign init-service .* systemctl enable --now countersign\.target .* apt-get remove countersign /,
    })
  })

  it("is one that has install-service's own", () => {
    system.put("/etc/systemd/system/countersign.target", "[Unit]\n")
    assertNotPackaged(system)
  })
})

describe("a program that the services can start", () => {
  const packageRoot = "/usr/lib/countersign"
  for (const hidden of ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]) {
    it(`isn't in ${hidden}, which they don't see`, () => {
      const start = () => assertStartable({ node: `${hidden}/versions/node`, packageRoot })
      assert.throws(start, /they don't see what is in \/\w+.* Install it for the whole machine/)
    })
  }

  it("isn't at a path that a unit file reads in its own way", () => {
    for (const node of ["/opt/a b/node", "/opt/%h/node", "/opt/$x/node", '/opt/"/node']) {
      assert.throws(
        () => assertStartable({ node, packageRoot }),
        /characters that mean something else in a unit/,
      )
    }
  })

  it(
    "has no file, directory or link that others than root could change, however deep",
    { skip: process.getuid?.() !== 0 },
    () => {
      const home = mkdtempSync(join("/var/lib", "cs-startable-"))
      const start = () => assertStartable({ node: "/usr/bin/env", packageRoot: home })
      try {
        chmodSync(home, 0o755)
        const deep = join(home, "node_modules/zod/lib")
        for (const path of [deep, join(home, "dist/vault")]) mkdirSync(path, { recursive: true })
        writeFileSync(join(home, "dist/vault/main.js"), "", { mode: 0o644 })
        const file = join(deep, "index.js")
        writeFileSync(file, "", { mode: 0o644 })
        symlinkSync("index.js", join(deep, "link.js"))
        start()
        for (const [path, mode] of [
          [file, 0o644],
          [deep, 0o755],
        ] as const) {
          for (const [writable, flaw] of [
            [0o002, /everybody can write to /],
            [0o020, /the group 0 can write to /],
          ] as const) {
            chmodSync(path, mode | writable)
            assert.throws(start, flaw)
          }
          chmodSync(path, mode)
          chownSync(path, 1000, 0)
          assert.throws(start, /belongs to the uid 1000/)
          chownSync(path, 0, 0)
          start()
        }
        lchownSync(join(deep, "link.js"), 1000, 0)
        assert.throws(start, /link\.js belongs to the uid 1000/)
      } finally {
        rmSync(home, { recursive: true })
      }
    },
  )

  it(
    "belongs to root alone, with all directories above it, and lets others read it",
    { skip: process.getuid?.() !== 0 },
    () => {
      // Not below /tmp, which the services don't see.
      const home = mkdtempSync(join("/var/lib", "cs-startable-"))
      try {
        const node = join(home, "node")
        mkdirSync(join(home, "dist/vault"), { recursive: true })
        writeFileSync(node, "", { mode: 0o755 })
        const start = () => assertStartable({ node, packageRoot: home })
        assert.throws(start, /is closed to other users than root/)
        chmodSync(home, 0o755)
        assert.throws(start, /main\.js isn't there: this is a checkout/)
        writeFileSync(join(home, "dist/vault/main.js"), "", { mode: 0o600 })
        assert.throws(start, /main\.js is closed to other users than root/)
        chmodSync(join(home, "dist/vault/main.js"), 0o644)
        start()
        chmodSync(home, 0o757)
        assert.throws(start, /everybody can write to \S+ \(chmod o-w ends that\)/)
        chmodSync(home, 0o2775)
        chownSync(home, 0, 50)
        assert.throws(start, /the group 50 can write to \S+ \(chmod g-w ends that\)/)
        chmodSync(home, 0o2755)
        start()
        chownSync(node, 1000, 0)
        assert.throws(start, /node belongs to the uid 1000, who could change it/)
      } finally {
        rmSync(home, { recursive: true })
      }
    },
  )
})
