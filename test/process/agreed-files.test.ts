import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignTyped,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { quotePolicy, writePolicy } from "../support/trading-keys.ts"
import { ctrlC, enter } from "../support/typist.ts"

describe("files that a person is asked about", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, quotePolicy("1"))
    daemon = await serve(installation.dir)
    appendFileSync(join(installation.dir, "countersign.yaml"), "attest: required\n")
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const inForce = async () => (await countersign(at("policy", "show"))).stdout

  for (const [answer, keys] of [
    ["no", "n"],
    ["enter", enter],
    ["Ctrl-C", ctrlC],
  ] as const) {
    it(`aren't accepted by ${answer}, which exits with 1`, async () => {
      const before = await inForce()
      const typed = [{ after: "Accept these changes?", keys }]
      const { code, stdout, stderr } = await countersignTyped(at("policy", "accept"), typed)
      assert.equal(code, 1)
      assert.match(stdout, /^WIDENS {2}countersign\.yaml attest\n\+ {2}required$/m)
      assert.match(stderr, /Nothing was done\.\n$/)
      assert.equal(await inForce(), before)
    })
  }

  it("are accepted by yes, and are in force", async () => {
    const typed = [{ after: "Accept these changes?", keys: "y" }]
    const { code, stdout } = await countersignTyped(at("policy", "accept"), typed)
    assert.equal(code, 0)
    assert.match(stdout, /^Accepted, and in force: [0-9a-f]{64}$/m)
  })

  it("are rolled back by yes alone, after what that changes was shown", async () => {
    const before = await inForce()
    const asked = (keys: string) =>
      countersignTyped(at("policy", "rollback"), [{ after: "Put it in force again?", keys }])
    const no = await asked("n")
    assert.deepEqual([no.code, no.stdout], [1, ""])
    assert.match(no.stderr, /attest: "required" → -\nThe set before this one: [0-9a-f]{64}\n/)
    assert.equal(await inForce(), before)
    const yes = await asked("y")
    assert.equal(yes.code, 0, yes.stderr)
    const hash = /The set before this one: ([0-9a-f]{64})/.exec(no.stderr)?.[1] ?? ""
    assert.match(yes.stdout, new RegExp(`^The earlier set is in force: ${hash}$`, "m"))
  })
})
