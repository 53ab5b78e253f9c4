import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"

import { utf8 } from "../../../../src/std/bytes.ts"
import { assertPrivate } from "../../../../src/std/private-file.ts"
import { readSecretFile } from "../../../../src/vault/custody/secret-file.ts"

const directory = mkdtempSync(join(tmpdir(), "countersign-secret-"))
after(() => rmSync(directory, { recursive: true }))

let count = 0
function fileOf(content: string | Uint8Array, mode = 0o600): string {
  const path = join(directory, `secret-${count++}`)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
}

describe("readSecretFile", () => {
  const contents = [
    { name: "drops one newline at the end", content: "pass\n", secret: "pass" },
    { name: "drops one carriage return and newline", content: "pass\r\n", secret: "pass" },
    { name: "keeps a second newline", content: "pass\n\n", secret: "pass\n" },
    { name: "keeps a lone carriage return", content: "pass\r", secret: "pass\r" },
    { name: "keeps white space", content: " pass word \n", secret: " pass word " },
    { name: "reads a file without newline", content: "p", secret: "p" },
    { name: "reads 64 KiB", content: "x".repeat(65536), secret: "x".repeat(65536) },
  ]
  for (const { name, content, secret } of contents) {
    it(name, async () => {
      assert.deepEqual(await readSecretFile(fileOf(content)), utf8(secret))
    })
  }

  it("reads bytes that aren't text", async () => {
    const bytes = Uint8Array.of(0, 255, 128, 10, 7)
    assert.deepEqual(await readSecretFile(fileOf(bytes)), bytes)
  })

  for (const content of ["", "\n", "\r\n"]) {
    it(`refuses ${JSON.stringify(content)} as empty`, async () => {
      await assert.rejects(readSecretFile(fileOf(content)), { code: "passphrase_missing" })
    })
  }

  it("refuses a path where nothing is", async () => {
    const absent = readSecretFile(join(directory, "absent"))
    await assert.rejects(absent, { code: "passphrase_missing" })
  })

  it("refuses one byte more than 64 KiB", async () => {
    const large = readSecretFile(fileOf("x".repeat(65537)))
    await assert.rejects(large, { code: "file_unsafe", message: /larger than 65536 bytes/ })
  })

  for (const mode of [0o600, 0o400, 0o700]) {
    it(`reads a file of mode ${mode.toString(8)}`, async () => {
      assert.deepEqual(await readSecretFile(fileOf("pass", mode)), utf8("pass"))
    })
  }

  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602, 0o610, 0o601]) {
    it(`refuses a file of mode ${mode.toString(8)} and says how to fix it`, async () => {
      const path = fileOf("pass", mode)
      const message = `${path} is open to other users; run: chmod 600 ${path}`
      await assert.rejects(readSecretFile(path), { code: "file_unsafe", message })
    })
  }

  it("refuses a symlink, though its target is safe", async () => {
    const link = join(directory, "link")
    symlinkSync(fileOf("pass"), link)
    await assert.rejects(readSecretFile(link), { code: "file_unsafe", message: /symlink/ })
  })

  it("refuses a directory", async () => {
    const path = join(directory, "directory")
    mkdirSync(path, { mode: 0o700 })
    await assert.rejects(readSecretFile(path), { code: "file_unsafe", message: /regular file/ })
  })

  it("refuses a FIFO that nobody writes to, and doesn't wait", async () => {
    const path = join(directory, "fifo")
    execFileSync("mkfifo", ["-m", "600", path])
    await assert.rejects(readSecretFile(path), { code: "file_unsafe", message: /regular file/ })
  })
})

describe("assertPrivate", () => {
  const us = 1000
  const isDirectory = () => false
  const cases = [
    { name: "our file", uid: us, gid: us, mode: 0o100600, safe: true },
    { name: "our file that the group can read", uid: us, gid: us, mode: 0o100640, safe: false },
    { name: "our file that root's group can read", uid: us, gid: 0, mode: 0o100640, safe: false },
    { name: "another user's file", uid: us + 1, gid: us, mode: 0o100600, safe: false },
    { name: "root's file", uid: 0, gid: 0, mode: 0o100400, safe: true },
    { name: "root's file lent to us by ACL", uid: 0, gid: 0, mode: 0o100440, safe: true },
    { name: "root's file that its group can write", uid: 0, gid: 0, mode: 0o100460, safe: false },
    { name: "root's file that all can read", uid: 0, gid: 0, mode: 0o100444, safe: false },
    { name: "root's file that our group can read", uid: 0, gid: us, mode: 0o100440, safe: false },
  ]
  for (const { name, safe, ...access } of cases) {
    it(`${safe ? "trusts" : "refuses"} ${name}`, () => {
      const check = () => assertPrivate("/x", { ...access, isDirectory }, us)
      if (safe) check()
      else assert.throws(check, { code: "file_unsafe" })
    })
  }

  it("holds root to the same rule for its own files", () => {
    const access = { uid: 0, gid: 0, mode: 0o100440, isDirectory }
    assert.throws(() => assertPrivate("/x", access, 0), { code: "file_unsafe" })
  })

  it("names chmod 700 for a directory", () => {
    const access = { uid: us, gid: us, mode: 0o040750, isDirectory: () => true }
    assert.throws(() => assertPrivate("/x", access, us), { message: /chmod 700 \/x/ })
  })
})
