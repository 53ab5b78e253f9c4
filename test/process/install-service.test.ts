import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { describe, it } from "node:test"

import { countersign, countersignJson } from "../support/countersign.ts"

type Printed = {
  readonly steps: readonly { readonly title: string }[]
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

describe("countersign install-service --print", { timeout: 120_000 }, () => {
  const unit = "/etc/systemd/system/countersign-vault.service"

  it("shows what would be done and every file, and does nothing", async () => {
    const isThere = existsSync(unit)
    const { code, stdout } = await countersign(["install-service", "--print"])
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^ {2}(?:write|change) ${unit}$`, "m"))
    assert.match(stdout, new RegExp(`^# ${unit}\n(?:.*\n)*?\\[Service\\]\n`, "m"))
    assert.equal(existsSync(unit), isThere)
  })

  it("prints for scripts each step and each file, for this Node", async () => {
    const { steps, files } = await countersignJson<Printed>(["install-service", "--print"])
    assert.ok(steps.some(({ title }) => title === "run systemd-sysusers countersign.conf"))
    const { text = "" } = files.find(({ path }) => path === unit) ?? {}
    assert.ok(text.includes(`\n  ${process.execPath} \\\n`), text)
  })
})

describe("countersign init-service", () => {
  it("refuses a kind of key that systemd-creds doesn't know", async () => {
    const { code, stderr } = await countersign(["init-service", "--with-key", "disk"])
    assert.equal(code, 2, stderr)
  })
})
