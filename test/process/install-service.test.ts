import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { describe, it } from "node:test"

import { countersign, countersignJson } from "../support/countersign.ts"

type Printed = {
  readonly steps: readonly { readonly title: string; readonly done: boolean }[]
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

describe("countersign install-service --print", { timeout: 120_000 }, () => {
  const unit = "/etc/systemd/system/countersign-vault.service"

  it("shows what would be done and every file, and does nothing", async () => {
    const isThere = existsSync(unit)
    const { code, stdout } = await countersign(["install-service", "--print"])
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^ {2}\\S.* write ${unit}$`, "m"))
    assert.match(stdout, new RegExp(`^# ${unit}\n(?:.*\n)*?\\[Service\\]\n`, "m"))
    assert.equal(existsSync(unit), isThere)
  })

  it("prints for scripts each step and each file, for this Node", async () => {
    const { steps, files } = await countersignJson<Printed>(["install-service", "--print"])
    assert.ok(
      steps.some(({ title }) => title.startsWith("make an installation in /etc/countersign")),
    )
    const { text = "" } = files.find(({ path }) => path === unit) ?? {}
    assert.ok(text.includes(`\n  ${process.execPath} \\\n`), text)
  })

  it("refuses a kind of key that systemd-creds doesn't know, and a copy of what goes", async () => {
    for (const wrong of [
      ["--with-key", "disk"],
      ["--uninstall", "--copy-secret-to", "/run/copy"],
    ]) {
      const { code, stderr } = await countersign(["install-service", ...wrong])
      assert.equal(code, 2, stderr)
    }
  })
})
