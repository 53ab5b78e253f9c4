import assert from "node:assert/strict"
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import {
  assertTrustedDirectory,
  readConfigFile,
} from "../../../../src/vault/config/read-config-file.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"

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
