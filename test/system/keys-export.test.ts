import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { computeAddress, decryptKeystoreJson, hexlify, randomBytes } from "ethers"

import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"

const secret = hexlify(randomBytes(32))
const password = "for the file that leaves"

describe("countersign keys export", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let to: string
  before(async () => {
    installation = await makeInstallation()
    const { home, dir } = installation
    to = join(home, "exported.json")
    writeFileSync(join(home, "password"), `${password}\n`, { mode: 0o600 })
    const wallet = ["--name", "main", "--role", "wallet"]
    await countersignJson(["keys", "import", "--dir", dir, ...wallet], secret)
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const exported = (changes: Readonly<Record<string, string>> = {}) => {
    const { dir, home } = installation
    const options = { name: "main", to, "password-file": join(home, "password"), ...changes }
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
    return ["keys", "export", "--dir", dir, ...words]
  }
  const acts = () =>
    readLedger(join(installation.dir, "ledger.db")).filter(({ kind }) => kind === "act")

  it("refuses while the daemon runs, and makes no file", async () => {
    const daemon = await serve(installation.dir)
    const ended = await countersign([...exported(), "--json"])
    assert.equal(await daemon.stop(), 0)
    assert.match(ended.stdout, /^\{"error":\{"code":"daemon_running","message":"[^"]+"\}\}\n$/)
    assert.equal(ended.code, 4)
    assert.equal(existsSync(to), false)
  })

  for (const [what, changes, code, exit] of [
    ["a key that it doesn't have", { name: "other" }, "key_not_found", 1],
    ["the keystore's own master", { name: "master" }, "key_not_found", 1],
    ["a path outside the keystore", { name: "../keystore/main" }, "key_not_found", 1],
    ["a password file that isn't there", { "password-file": "/none" }, "passphrase_missing", 1],
    ["a directory that isn't there", { to: "/none/exported.json" }, "file_unsafe", 1],
  ] as const) {
    it(`refuses ${what}, and records no export`, async () => {
      const earlier = acts().length
      const ended = await countersign([...exported(changes), "--json"])
      const { error } = JSON.parse(ended.stdout) as { error: { code: string } }
      assert.deepEqual([error.code, ended.code], [code, exit])
      assert.equal(existsSync(to), false)
      assert.equal(acts().length, earlier)
    })
  }

  for (const [what, unlike, why] of [
    ["holds what NFKC makes another letter of", "nº 5 of this street", /in the Unicode form NFKC/],
    ["has its accent apart", "cafe\u0301 au lait", /in the Unicode form NFKC/],
    ["holds a tab", "quartz\tlantern 31", /control character/],
    ["begins with a byte order mark", "\ufeffquartz lantern 32", /byte order mark/],
    ["isn't UTF-8", Buffer.from("quartz \xff lantern 33", "latin1"), /isn't UTF-8 text/],
  ] as const) {
    it(`refuses a new password that ${what}, with the reason, and records no export`, async () => {
      const earlier = acts().length
      const file = join(installation.home, "unlike")
      writeFileSync(file, unlike, { mode: 0o600 })
      const ended = await countersign(exported({ "password-file": file }))
      assert.equal(ended.code, 2)
      assert.match(ended.stderr, why)
      assert.match(ended.stderr, /tools would read it differently; choose another\.\n$/)
      assert.equal(existsSync(to), false)
      assert.equal(acts().length, earlier)
    })
  }

  it("writes a private file that ethers opens, and records that it did", async () => {
    const answer = await countersignJson(exported())
    assert.deepEqual(answer, { name: "main", address: computeAddress(secret), file: to })
    assert.equal(statSync(to).mode & 0o777, 0o600)
    const opened = await decryptKeystoreJson(readFileSync(to, "utf8"), password)
    assert.equal(opened.privateKey, secret)
    assert.equal(opened.address, computeAddress(secret))
    assert.deepEqual(acts().at(-1)?.row["act"], "key_exported")
  })

  it("refuses without a terminal and without a password file, and says which option to give", async () => {
    const earlier = acts().length
    const args = ["keys", "export", "--dir", installation.dir, "--name", "main", "--to", `${to}.2`]
    const ended = await countersign(args, `y\n${password}\n${password}\n`)
    const sentence =
      "There is no terminal to ask on; name the file that holds the new keystore's password with --password-file, or run this on a terminal."
    assert.deepEqual([ended.stderr, ended.code], [`countersign: ${sentence}\n`, 2])
    assert.equal(existsSync(`${to}.2`), false)
    assert.equal(acts().length, earlier)
  })

  it("writes at the cost that geth does", () => {
    const { crypto } = JSON.parse(readFileSync(to, "utf8")) as {
      crypto: { kdf: string; kdfparams: Readonly<Record<string, unknown>> }
    }
    const { n, r, p } = crypto.kdfparams
    assert.deepEqual([crypto.kdf, n, r, p], ["scrypt", 2 ** 18, 8, 1])
  })

  it(
    "takes the identity of the directory's owner, so that root leaves no file that only root can read",
    { skip: process.getuid?.() !== 0 && "needs root" },
    async (t) => {
      // Root's files open no keystore of another user.
      const other = await makeInstallation()
      t.after(() => other.remove())
      const { dir, home, passphraseFile } = other
      writeFileSync(join(home, "password"), `${password}\n`, { mode: 0o600 })
      const wallet = ["--name", "main", "--role", "wallet"]
      await countersignJson(["keys", "import", "--dir", dir, ...wallet], secret)
      const uid = 65_534
      execFileSync("chown", ["-R", `${uid}:${uid}`, home])
      const file = join(home, "out.json")
      const files = ["--to", file, "--password-file", join(home, "password")]
      const args = ["keys", "export", "--dir", dir, "--name", "main", ...files]
      args.push("--passphrase-file", passphraseFile)
      const { code, stderr } = await countersignProcess(args)
      assert.equal(code, 0, stderr)
      for (const path of readdirSync(home, { recursive: true, encoding: "utf8" })) {
        assert.equal(statSync(join(home, path)).uid, uid, path)
      }
      assert.equal(existsSync(file), true)
    },
  )

  it("overwrites no file", async () => {
    writeFileSync(to, "mine", { flag: "w" })
    const ended = await countersign(exported())
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /can't be made as a new file; choose a path where none is\.\n$/)
    assert.equal(readFileSync(to, "utf8"), "mine")
  })
})
