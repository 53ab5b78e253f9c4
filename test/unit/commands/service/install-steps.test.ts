import assert from "node:assert/strict"
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  changesOf,
  installSteps,
  uninstallSteps,
  carryOut,
  planLines,
  type Step,
} from "../../../../src/commands/service/install-steps.ts"
import type { InstalledFile } from "../../../../src/commands/service/render-units.ts"
import { fakeSystem, type FakeSystem } from "../../../support/fake-system.ts"

function unitNamed(name: string): InstalledFile {
  return { name, path: `/etc/systemd/system/${name}`, text: "[Unit]\nDescription=new\n" }
}
const socket = unitNamed("countersign-gate.socket")
const target = unitNamed("countersign.target")
const users = {
  name: "countersign.conf",
  path: "/etc/sysusers.d/countersign.conf",
  text: "g x -\n",
}
const files = [socket, users, target]

const commands = [
  "systemd-sysusers countersign.conf",
  "systemd-tmpfiles --create countersign.conf",
  "systemctl daemon-reload",
]
const titlesOf = (steps: readonly Step[]): readonly string[] => steps.map(({ title }) => title)

describe("install-service", () => {
  let system: FakeSystem
  beforeEach(() => {
    system = fakeSystem()
  })
  afterEach(() => system.remove())

  const plan = (): readonly Step[] => installSteps(system, changesOf(system, files))

  it("writes every file where there is none, for all to read, and then has the system take them in", () => {
    const steps = plan()
    assert.deepEqual(titlesOf(steps), [
      ...files.map(({ path }) => `write ${path}`),
      ...commands.map((line) => `run ${line}`),
    ])
    carryOut(steps)
    for (const { path, text } of files) {
      const place = join(system.root, path)
      assert.equal(readFileSync(place, "utf8"), text)
      assert.equal(statSync(place).mode & 0o777, 0o644)
    }
    assert.deepEqual(system.ran, commands)
  })

  it("changes no file of a machine that has all, and has the system see to it once more", () => {
    for (const { path, text } of files) system.put(path, text)
    assert.deepEqual(changesOf(system, files), [])
    assert.deepEqual(
      titlesOf(plan()),
      commands.map((line) => `run ${line}`),
    )
  })

  it("changes a file with another text, and shows the lines that differ", () => {
    for (const { path, text } of files) system.put(path, text)
    system.put(target.path, "[Unit]\nDescription=old\n")
    const [change, ...others] = plan()
    assert.ok(change !== undefined)
    assert.deepEqual(planLines([change]), [
      `  change ${target.path}`,
      "      - Description=old",
      "      + Description=new",
    ])
    assert.equal(others.length, commands.length)
  })

  it("refuses a masked unit, and writes nothing through its link", () => {
    system.put(socket.path, socket.text)
    symlinkSync("/dev/null", join(system.root, target.path))
    assert.throws(() => changesOf(system, files), {
      code: "install_failed",
      message: /countersign\.target isn't a file; .* systemctl unmask countersign\.target/,
    })
  })

  it("says which steps are done when one fails, and goes on from there", () => {
    const failing = fakeSystem({ "systemctl daemon-reload": { code: 1, stderr: "no bus\n" } })
    const steps = installSteps(failing, changesOf(failing, [target]))
    assert.throws(() => carryOut(steps), {
      code: "install_failed",
      message:
        /^Couldn't run systemctl daemon-reload: systemctl ended with 1: no bus Done: write \S+\.target; .* Fix it/,
    })
    assert.equal(existsSync(join(failing.root, target.path)), true)
    assert.deepEqual(changesOf(failing, [target]), [])
    failing.remove()
  })
})

describe("install-service --uninstall", () => {
  let system: FakeSystem
  beforeEach(() => {
    system = fakeSystem()
  })
  afterEach(() => system.remove())

  it("stops all at once by the target, disables and removes, and leaves what an operator added", () => {
    for (const { path } of files) system.put(path, "# changed by hand\n")
    system.put(`${target.path}.d/mine.conf`, "")
    const steps = uninstallSteps(system, files)
    assert.deepEqual(
      steps.flatMap(({ details }) => details),
      [`${target.path}.d is yours, and stays`],
    )
    carryOut(steps)
    const units = "countersign.target countersign-gate.socket"
    assert.deepEqual(system.ran, [
      `systemctl --quiet --no-reload disable ${units}`,
      `systemctl stop ${units}`,
      "systemctl reset-failed countersign*",
      "systemctl daemon-reload",
    ])
    const isThere = (path: string): boolean => existsSync(join(system.root, path))
    assert.deepEqual(
      files.filter(({ path }) => isThere(path)),
      [],
    )
    assert.ok(isThere(`${target.path}.d/mine.conf`))
    assert.ok(isThere(dirname(users.path)))
  })

  it("asks nothing of units that are gone, as after an end half way", () => {
    system.put(users.path, users.text)
    carryOut(uninstallSteps(system, [users]))
    assert.deepEqual(system.ran, ["systemctl daemon-reload"])
    assert.equal(existsSync(join(system.root, users.path)), false)
  })
})
