import assert from "node:assert/strict"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { pathsOf, type Installation } from "../../../../src/vault/config/installation.ts"
import { loadFiles } from "../../../../src/vault/config/load-files.ts"
import { makeTestInstallation, permissivePolicy } from "../../../support/open-test-vault.ts"

async function installationOf(t: TestContext, policies?: readonly string[]): Promise<Installation> {
  const made = await makeTestInstallation(policies === undefined ? {} : { policies })
  t.after(() => made.remove())
  return made.installation
}

function writePolicy({ configDir }: Installation, name: string, text: string): void {
  writeFileSync(join(configDir, "policies", name), text, { mode: 0o600 })
}

const denials = "policy: denials\ndeny:\n  - {name: no-market, order_types: [market]}\n"

describe("loading the files of an installation", () => {
  it("reads every policy, whatever the case of its ending, and no hidden or other file", async (t) => {
    const installation = await installationOf(t)
    writePolicy(installation, "a.yml", denials)
    writePolicy(installation, "B.YAML", denials.replace("denials", "upper"))
    writePolicy(installation, ".hidden.yaml", "no: policy")
    writePolicy(installation, "a.yaml~", "no: policy")
    writePolicy(installation, "README.md", "no: policy")
    const { policies } = await loadFiles(installation)
    assert.deepEqual(policies.map(({ name }) => name).toSorted(), [
      "denials",
      "permissive",
      "upper",
    ])
  })

  it("names policy files from the configuration directory on, so that bots learn no path", async (t) => {
    const { policies } = await loadFiles(await installationOf(t))
    assert.deepEqual(
      policies.map(({ file }) => file),
      ["policies/0.yaml"],
    )
  })

  it("tells every problem of every policy at once, each with its place", async (t) => {
    const installation = await installationOf(t, [
      "policy: a\nrulez: []\n",
      "policy: b\nrules: x\n",
    ])
    await assert.rejects(loadFiles(installation), (error: Error & { code: string }) => {
      assert.equal(error.code, "config_invalid")
      const lines = error.message.split("\n")
      assert.match(lines[0] ?? "", /policies\/0\.yaml:2:1: unknown key "rulez"/)
      assert.match(lines[1] ?? "", /policies\/1\.yaml:2:/)
      return true
    })
  })

  it("has one hash for the same bytes, and another for any other byte or name", async (t) => {
    const installation = await installationOf(t)
    const hashOf = async () => (await loadFiles(installation)).policyHash
    const before = await hashOf()
    assert.equal(await hashOf(), before)
    writePolicy(installation, "0.yaml", `${permissivePolicy}# a remark\n`)
    const remarked = await hashOf()
    rmSync(join(installation.configDir, "policies", "0.yaml"))
    writePolicy(installation, "1.yaml", permissivePolicy)
    assert.equal(new Set([before, remarked, await hashOf()]).size, 3)
  })

  it("refuses a policy whose name has what can't be seen, and tells it on one line, as its name", async (t) => {
    for (const name of ["a\nfix: halt.yaml", "a\u202eb.yml", "a\u001b[2J.yaml"]) {
      const installation = await installationOf(t)
      writePolicy(installation, name, denials)
      await assert.rejects(loadFiles(installation), (error: Error) => {
        assert.match(error.message, /policies has a file "a\\[^\n]+"; give it a name without/)
        return true
      })
    }
  })

  it("refuses a file that isn't UTF-8", async (t) => {
    const installation = await installationOf(t)
    const path = join(installation.configDir, "policies", "x.yaml")
    writeFileSync(path, Buffer.from([0x70, 0xff]), { mode: 0o600 })
    await assert.rejects(loadFiles(installation), { code: "config_invalid", message: /UTF-8/ })
  })

  it("refuses a policy that is a symlink", async (t) => {
    const installation = await installationOf(t)
    const { policiesDir } = pathsOf(installation)
    symlinkSync(join(policiesDir, "0.yaml"), join(policiesDir, "1.yaml"))
    await assert.rejects(loadFiles(installation), { code: "file_unsafe" })
  })

  it("refuses policies/ that is a symlink, and takes an installation that is reached by one", async (t) => {
    const installation = await installationOf(t)
    const { policiesDir } = pathsOf(installation)
    const link = `${installation.configDir}-link`
    symlinkSync(installation.configDir, link)
    t.after(() => rmSync(link, { force: true }))
    await loadFiles({ ...installation, configDir: link })
    const real = join(installation.configDir, "elsewhere")
    renameSync(policiesDir, real)
    symlinkSync(real, policiesDir)
    const refused = { code: "file_unsafe", message: /policies is a symlink/ }
    await assert.rejects(loadFiles(installation), refused)
  })

  it("refuses directories in which others could take a file away or put one", async (t) => {
    const installation = await installationOf(t)
    for (const directory of [installation.configDir, pathsOf(installation).policiesDir]) {
      chmodSync(directory, 0o770)
      await assert.rejects(loadFiles(installation), { code: "file_unsafe" })
      chmodSync(directory, 0o750)
      await loadFiles(installation)
    }
  })

  it("says what to run where nothing is, or a part is missing", async (t) => {
    const installation = await installationOf(t)
    const paths = pathsOf(installation)
    const nowhere = { ...installation, configDir: join(installation.configDir, "none") }
    const expected = { code: "not_initialised", message: /countersign init/ }
    await assert.rejects(loadFiles(nowhere), expected)
    rmSync(paths.policiesDir, { recursive: true })
    await assert.rejects(loadFiles(installation), expected)
    mkdirSync(paths.policiesDir)
    rmSync(paths.venueFile)
    await assert.rejects(loadFiles(installation), expected)
  })

  it("allows nothing where no policy has a rule", async (t) => {
    assert.deepEqual((await loadFiles(await installationOf(t, []))).policies, [])
  })
})
