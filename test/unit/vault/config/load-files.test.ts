import assert from "node:assert/strict"
import {
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  chownSync,
} from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { pathsOf, type Installation } from "../../../../src/vault/config/installation.ts"
import {
  loadFiles,
  assertTrustedDirectory,
  readConfigFile,
} from "../../../../src/vault/config/load-files.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"
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

function place(t: TestContext): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  return directory.path
}

function fileOf(t: TestContext, mode: number, text = "policy: x\n"): string {
  const path = join(place(t), "x.yaml")
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const isRoot = process.getuid?.() === 0
const asRoot = isRoot ? {} : { skip: "needs root, to give a file away" }

describe("a configuration file", () => {
  for (const [mode, isTrusted] of [
    [0o600, true],
    [0o644, true],
    [0o755, true],
    [0o664, false],
    [0o646, false],
  ] as const) {
    it(`of mode ${mode.toString(8)} is ${isTrusted ? "read" : "refused"}`, async (t) => {
      const path = fileOf(t, mode)
      if (isTrusted) assert.equal(Buffer.from(await readConfigFile(path)).toString(), "policy: x\n")
      else
        await assert.rejects(readConfigFile(path), { code: "file_unsafe", message: /chmod go-w/ })
    })
  }

  it("is one word of the command that closes it, whatever its name", async (t) => {
    const path = join(place(t), "it's $(halt).yaml")
    writeFileSync(path, "")
    chmodSync(path, 0o666)
    const word = `'${path.replace("'", "'\\''")}'`
    await assert.rejects(readConfigFile(path), {
      message: `${path} can be changed by others; run: chmod go-w ${word}`,
    })
  })

  it("of another user is refused", asRoot, async (t) => {
    const path = fileOf(t, 0o600)
    chownSync(path, 65_534, 65_534)
    await assert.rejects(readConfigFile(path), { code: "file_unsafe", message: /another user/ })
  })

  it("that is a symlink, also a dangling one, is refused", async (t) => {
    const path = fileOf(t, 0o600)
    for (const target of [path, "/nowhere"]) {
      const link = join(place(t), "link.yaml")
      symlinkSync(target, link)
      await assert.rejects(readConfigFile(link), { code: "file_unsafe", message: /symlink/ })
    }
  })

  it("that is a directory is refused", async (t) => {
    await assert.rejects(readConfigFile(place(t)), { code: "config_invalid" })
  })

  it("of 1 MiB is read, and one byte more is refused", async (t) => {
    const fits = fileOf(t, 0o600, "#".repeat(1024 * 1024))
    assert.equal((await readConfigFile(fits)).length, 1024 * 1024)
    const over = fileOf(t, 0o600, "#".repeat(1024 * 1024 + 1))
    await assert.rejects(readConfigFile(over), { code: "config_invalid", message: /1 MiB/ })
  })

  it("that isn't there says what to run", async (t) => {
    const path = join(place(t), "none.yaml")
    const expected = { code: "not_initialised", message: /countersign init/ }
    await assert.rejects(readConfigFile(path), expected)
  })
})

describe("a directory of configuration", () => {
  for (const [mode, isTrusted] of [
    [0o700, true],
    [0o755, true],
    [0o775, false],
    [0o757, false],
    [0o1777, false],
  ] as const) {
    it(`of mode ${mode.toString(8)} is ${isTrusted ? "trusted" : "refused"}`, async (t) => {
      const path = join(place(t), "d")
      mkdirSync(path)
      chmodSync(path, mode)
      if (isTrusted) await assertTrustedDirectory(path)
      else await assert.rejects(assertTrustedDirectory(path), { code: "file_unsafe" })
    })
  }

  it("of another user is refused", asRoot, async (t) => {
    const path = join(place(t), "d")
    mkdirSync(path)
    chownSync(path, 65_534, 65_534)
    await assert.rejects(assertTrustedDirectory(path), { code: "file_unsafe" })
  })

  it("that is a file, or isn't there, is refused", async (t) => {
    await assert.rejects(assertTrustedDirectory(fileOf(t, 0o600)), { code: "config_invalid" })
    const missing = assertTrustedDirectory(join(place(t), "none"))
    await assert.rejects(missing, { code: "not_initialised" })
  })
})
