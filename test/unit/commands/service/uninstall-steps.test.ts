import assert from "node:assert/strict"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, it } from "node:test"

import type { ServiceFile } from "../../../../src/commands/service/service-files.ts"
import { carryOut, openSteps } from "../../../../src/commands/service/step.ts"
import { uninstallSteps } from "../../../../src/commands/service/uninstall-steps.ts"
import { fakeSystem, type FakeSystem } from "../../../support/fake-system.ts"

function unitNamed(name: string): ServiceFile {
  return {
    name,
    text: "[Unit]\n",
    kind: "unit",
    path: `/etc/systemd/system/${name}`,
    distributionPaths: [`/usr/lib/systemd/system/${name}`],
  }
}
const units = ["countersign.target", "countersign-gate.socket"].map(unitNamed)
const [target, socket] = units.map(({ path }) => path) as [string, string]

describe("what install-service --uninstall plans", () => {
  let system: FakeSystem
  afterEach(() => system.remove())

  it("is nothing on a machine that has nothing", () => {
    system = fakeSystem()
    assert.deepEqual(openSteps(uninstallSteps(system, units)), [])
  })

  it("stops, disables and removes in this order, and leaves what an operator added", async () => {
    system = fakeSystem({
      "getent passwd countersign-gate": { code: 0, stdout: "countersign-gate:x:8:8::/:/\n" },
    })
    system.put(target, "[Unit]\n# changed by hand\n")
    system.put(socket, "[Unit]\n")
    system.put(`${target}.d/mine.conf`, "")
    mkdirSync(join(system.root, "/run/countersign"), { recursive: true })
    const steps = uninstallSteps(system, units)
    const shown = steps.flatMap(({ details }) => details)
    assert.deepEqual(shown, [`${target}.d is yours, and stays`])
    system.ran.length = 0
    await carryOut(steps)
    assert.deepEqual(
      system.ran.filter((line) => !line.startsWith("getent")),
      [
        "systemctl stop countersign.target",
        "systemctl stop countersign.target countersign-gate.socket",
        "systemctl disable countersign.target countersign-gate.socket",
        "systemctl reset-failed countersign.target countersign-gate.socket",
        "systemctl daemon-reload",
        "userdel countersign-gate",
      ],
    )
    const there = [target, socket, "/run/countersign", `${target}.d/mine.conf`]
    assert.deepEqual(
      there.map((path) => existsSync(join(system.root, path))),
      [false, false, false, true],
    )
  })

  it("refuses to take away what a package of the distribution has brought", () => {
    system = fakeSystem()
    system.put("/usr/lib/systemd/system/countersign.target", "[Unit]\n")
    assert.throws(() => uninstallSteps(system, units), /apt remove countersign/)
  })
})
