import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, it } from "node:test"

import { planInstall } from "../../../../src/commands/service/install-steps.ts"
import { vaultDirectories } from "../../../../src/commands/service/layout.ts"
import type { ServiceFile } from "../../../../src/commands/service/service-files.ts"
import { carryOut, openSteps, planLines } from "../../../../src/commands/service/step.ts"
import type { Ran } from "../../../../src/commands/service/system.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { fakeSystem, type FakeSystem } from "../../../support/fake-system.ts"

const unit: ServiceFile = {
  name: "countersign.target",
  text: "[Unit]\nDescription=new\n",
  kind: "unit",
  path: "/etc/systemd/system/countersign.target",
  distributionPaths: ["/usr/lib/systemd/system/countersign.target"],
}
const wishes = { withKey: "auto", copyTo: undefined } as const
const ownUid = process.getuid?.() ?? 0
const users = {
  "getent passwd countersign-vault": { code: 0, stdout: `countersign-vault:x:${ownUid}:7::/:/\n` },
  "getent passwd countersign-gate": { code: 0, stdout: "countersign-gate:x:8:8::/:/\n" },
  "getent group countersign-bots": { code: 0, stdout: "countersign-bots:x:9:\n" },
}

describe("what install-service plans", () => {
  let system: FakeSystem
  afterEach(() => system.remove())

  function plan(change: Partial<typeof wishes> | { readonly copyTo: string } = {}) {
    return planInstall(system, [unit], { ...wishes, ...change })
  }
  function open(): readonly string[] {
    return openSteps(plan().steps).map(({ title }) => title)
  }
  /** A machine on which everything is there. */
  function complete(): void {
    system = fakeSystem(users)
    system.put(unit.path, unit.text)
    system.put("/etc/countersign/countersign.yaml", "")
    for (const path of vaultDirectories) {
      mkdirSync(join(system.root, path), { recursive: true })
      chmodSync(join(system.root, path), 0o700)
    }
  }

  it("is everything on a machine that has nothing, files before users and the installation last", () => {
    system = fakeSystem()
    assert.deepEqual(
      open().map((title) => title.split(" ").slice(0, 2).join(" ")),
      ["make the", "make /etc/countersign,", `write ${unit.path}`, "have systemd", "make an"],
    )
    assert.deepEqual([plan().isNew, plan().changedUnits], [true, []])
  })

  it("is nothing on a machine that has everything", () => {
    complete()
    assert.deepEqual(open(), [])
    assert.deepEqual([plan().isNew, plan().changedUnits], [false, []])
  })

  it("changes a unit with another text, and shows the lines that differ", () => {
    complete()
    system.put(unit.path, "[Unit]\nDescription=old\n")
    const { steps, changedUnits } = plan()
    assert.deepEqual(open(), [`change ${unit.path}`, "have systemd read its units anew"])
    assert.deepEqual(changedUnits, [unit.name])
    assert.match(planLines(steps).join("\n"), /\n +- Description=old\n +\+ Description=new\n/)
  })

  it("leaves an identical unit to the distribution's package that has it", () => {
    complete()
    const path = join(system.root, unit.path)
    rmSync(path)
    system.put("/usr/lib/systemd/system/countersign.target", unit.text)
    assert.deepEqual(open(), [])
  })

  it("writes one in place of a package's that differs, and says so", () => {
    complete()
    rmSync(join(system.root, unit.path))
    system.put("/usr/lib/systemd/system/countersign.target", "[Unit]\n")
    assert.equal(
      open()[0],
      `write ${unit.path}, in place of /usr/lib/systemd/system/countersign.target`,
    )
  })

  it("has systemd read units that an earlier run wrote and didn't come to load", () => {
    complete()
    system = fakeAs(system, "show", { code: 0, stdout: "NeedDaemonReload=yes\n", stderr: "" })
    assert.deepEqual(open(), ["have systemd read its units anew"])
  })

  it("refuses a masked unit", () => {
    complete()
    rmSync(join(system.root, unit.path))
    symlinkSync("/dev/null", join(system.root, unit.path))
    assert.throws(plan, isFault("install_failed", /systemctl unmask countersign\.target/))
  })

  it("refuses a directory that DynamicUser= has left as a link", () => {
    complete()
    rmSync(join(system.root, "/var/lib/countersign"), { recursive: true })
    symlinkSync("private/countersign", join(system.root, "/var/lib/countersign"))
    assert.throws(
      plan,
      isFault("install_failed", /countersign is a link, as a unit with DynamicUser= leaves/),
    )
  })

  it("refuses a state without its configuration, so that no new secret hides an old keystore", () => {
    complete()
    rmSync(join(system.root, "/etc/countersign/countersign.yaml"))
    system.put("/var/lib/countersign/ledger.db", "")
    assert.throws(
      plan,
      isFault("install_failed", /ledger\.db is there and .*countersign\.yaml isn't/),
    )
  })

  it("refuses a credential without its configuration, since it may open a keystore that was moved away", () => {
    complete()
    rmSync(join(system.root, "/etc/countersign/countersign.yaml"))
    system.put("/etc/countersign/countersign-key.cred", "old")
    assert.throws(
      plan,
      isFault("install_failed", /key\.cred is there and .*, or move \S+ and \S+key\.cred away/),
    )
  })

  it("refuses to copy a secret that it doesn't make, and says what shows it", () => {
    complete()
    assert.throws(
      () => plan({ copyTo: "/run/copy" }),
      isFault("usage", / systemd-creds decrypt --name=countersign-key \S+key\.cred - shows/),
    )
  })

  it("says which steps are done when one fails, and goes on from there", async () => {
    complete()
    system.put(unit.path, "old")
    system = fakeAs(system, "daemon-reload", { code: 1, stdout: "", stderr: "no bus\n" })
    await assert.rejects(
      carryOut(plan().steps),
      isFault(
        "install_failed",
        /^Couldn't have systemd .*: systemctl ended with 1: no bus Done: change \S+\.target\. Mend it/,
      ),
    )
    assert.equal(readFileSync(join(system.root, unit.path), "utf8"), unit.text)
    assert.equal(existsSync(join(system.root, "/etc/countersign/countersign.yaml")), true)
  })
})

/** The same machine with another answer of systemctl. */
function fakeAs(system: FakeSystem, verb: string, answer: Ran): FakeSystem {
  return {
    ...system,
    run: (program, args, input) => (args[0] === verb ? answer : system.run(program, args, input)),
  }
}

function isFault(code: Fault["code"], message: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault)
    assert.match(error.message, message)
    assert.equal(error.code, code)
    return true
  }
}
