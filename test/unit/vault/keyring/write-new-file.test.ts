import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { writeNewFile } from "../../../../src/std/private-file.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const module = join(root, "src/std/private-file.ts")

describe("writeNewFile", () => {
  let directory = ""
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "countersign-write-"))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it("writes the text with mode 0600 and leaves no other file", async () => {
    const path = join(directory, "a.json")
    assert.equal(await writeNewFile(path, "text"), true)
    assert.equal(readFileSync(path, "utf8"), "text")
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(directory), ["a.json"])
  })

  it("leaves a file that is there as it was", async () => {
    const path = join(directory, "a.json")
    writeFileSync(path, "old")
    assert.equal(await writeNewFile(path, "new"), false)
    assert.equal(readFileSync(path, "utf8"), "old")
    assert.deepEqual(readdirSync(directory), ["a.json"])
  })

  it("lets exactly one of two writers have the name", async () => {
    const path = join(directory, "a.json")
    const outcomes = await Promise.all([writeNewFile(path, "one"), writeNewFile(path, "two")])
    assert.deepEqual(outcomes.toSorted(), [false, true])
    assert.equal(readFileSync(path, "utf8"), outcomes[0] ? "one" : "two")
  })

  it("says so when the directory is gone", async () => {
    const path = join(directory, "absent", "a.json")
    await assert.rejects(writeNewFile(path, "text"), { code: "keystore_unavailable" })
  })

  it("writes under Node's permission model too, which refuses fsync", () => {
    const path = join(directory, "a.json")
    const script = `
      const { writeNewFile } = await import(${JSON.stringify(module)})
      console.log(await writeNewFile(${JSON.stringify(path)}, "{}"))
      console.log(await writeNewFile(${JSON.stringify(path)}, "[]"))`
    const permissions = [`--allow-fs-read=${root}`, `--allow-fs-read=${directory}`]
    const flags = ["--permission", ...permissions, `--allow-fs-write=${directory}`]
    const output = execFileSync(
      process.execPath,
      [...flags, "--input-type=module", "--eval", script],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    )
    assert.equal(output, "true\nfalse\n")
    assert.equal(readFileSync(path, "utf8"), "{}\n")
    assert.deepEqual(readdirSync(directory), ["a.json"])
  })
})
