import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { Fault } from "../../../../src/std/fault.ts"
import { watchFilesOnDisk } from "../../../../src/vault/active/files-on-disk.ts"
import { makeActiveSet } from "../../../../src/vault/active/active-set.ts"
import { type FileText, hashTexts } from "../../../../src/vault/config/load-files.ts"
import { fakeClock } from "../../../support/fake-clock.ts"

const inForce: readonly FileText[] = [{ name: "policies/a.yaml", text: "policy: a\n" }]
const edited: readonly FileText[] = [{ name: "policies/a.yaml", text: "policy: b\n" }]

describe("the files on disk beside those in force", () => {
  function watch() {
    const setOf = (texts: readonly FileText[]) =>
      makeActiveSet({ config: {}, texts, policyHash: hashTexts(texts) } as never, [], [])
    let [found, active] = [inForce, setOf(inForce)]
    const parsed: string[] = []
    const files = watchFilesOnDisk(
      {
        load: () => Promise.resolve(found),
        parse(texts) {
          parsed.push(texts[0]?.text ?? "")
          if (texts[0]?.text.includes("[")) throw new Fault("config_invalid", "a.yaml:1: no")
          return setOf(texts)
        },
        keep: () => Promise.resolve(),
        isRolledBack: false,
      },
      { active: () => active, now: fakeClock().nowMs as never },
    )
    return {
      parsed,
      files,
      lookAt: async (texts: readonly FileText[]) => {
        found = texts
        await files.lookAtDisk()
        return files.differ()?.message
      },
      putInForce: (texts: readonly FileText[]) => void (active = setOf(texts)),
    }
  }

  it("are parsed only where they are others, and once, however often one looks", async () => {
    const { parsed, lookAt } = watch()
    assert.equal(await lookAt(inForce), undefined)
    assert.deepEqual(parsed, [])
    const differ = "The files on disk aren't in force: policies/a.yaml."
    for (let time = 0; time < 3; time += 1) assert.equal(await lookAt(edited), differ)
    assert.deepEqual(parsed, ["policy: b\n"])
    assert.equal(await lookAt(inForce), undefined)
    assert.equal(await lookAt(edited), differ)
  })

  it("are told as unusable for as long as they are broken", async () => {
    const { parsed, lookAt } = watch()
    const broken = [{ name: "policies/a.yaml", text: "policy: [\n" }]
    for (let time = 0; time < 3; time += 1) {
      assert.match((await lookAt(broken)) ?? "", /aren't used.*a\.yaml:1: no/)
    }
    assert.equal(parsed.length, 1)
    assert.equal(await lookAt(inForce), undefined)
  })

  it("are compared anew with what is in force since, and with what was rolled back to", async () => {
    const { files, lookAt, putInForce } = watch()
    await lookAt(edited)
    putInForce(edited)
    assert.equal(await lookAt(edited), undefined)
    putInForce(inForce)
    assert.equal(await lookAt(edited), "The files on disk aren't in force: policies/a.yaml.")
    await files.keep({} as never, true)
    assert.match(files.differ()?.message ?? "", /An earlier set was put in force\.$/)
  })
})
