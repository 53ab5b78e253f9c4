import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { countersign, serve } from "../support/countersign.ts"
import { bin, node } from "../support/published.ts"
import { childRunning, killAllNaming } from "../support/process-tree.ts"

const passphrase = randomBytes(18).toString("base64")

describe("a keystore's passphrase that comes by a pipe", { timeout: 180_000 }, () => {
  let home: string
  let dir: string
  before(() => {
    home = mkdtempSync(join(tmpdir(), "cs-pipes-"))
    dir = join(home, "d")
  })
  after(async () => {
    await killAllNaming(home)
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  })

  /** In a shell that opens the pipe. */
  function byShell(given: string, ...args: readonly string[]) {
    const line = '"$0" "$@" --passphrase-file <(printf %s "$PASSPHRASE")'
    return spawnSync("bash", ["-c", line, node, bin, ...args, "--dir", dir], {
      env: { ...process.env, PASSPHRASE: given },
      encoding: "utf8",
    })
  }
  function namedPipe(name: string): string {
    const path = join(home, name)
    execFileSync("mkfifo", ["-m", "600", path])
    return path
  }

  it("is the one of init", () => {
    const { status: code, stderr } = byShell(passphrase, "init", "--backend", "keystore")
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(readFileSync(join(dir, "countersign.yaml"), "utf8"), /^ *passphrase_file/m)
  })

  it("is the one of init that comes by standard input", async () => {
    const other = ["--dir", join(home, "other"), "--passphrase-file", "-"]
    const { code, stderr } = await countersign(["init", ...other], `${passphrase}\n`)
    assert.equal(code, 0, stderr)
  })

  it("opens the keys of serve and of unlock", async () => {
    const pipe = namedPipe("serve")
    const starting = serve(dir, ["--passphrase-file", pipe])
    await writeFile(pipe, `${passphrase}\n`)
    const daemon = await starting
    try {
      assert.equal((await countersign(["lock", "--dir", dir])).code, 0)
      const wrong = byShell("another passphrase", "unlock")
      assert.deepEqual([wrong.status, /passphrase.*wrong/i.test(wrong.stderr)], [1, true])
      const right = byShell(passphrase, "unlock")
      assert.equal(right.status, 0, right.stderr)
      // It can be read but once, so a vault that ends can't come back by itself.
      process.kill((await childRunning(daemon.pid, "vault/main")).pid, "SIGKILL")
      assert.equal(await daemon.ended, 4)
    } finally {
      await daemon.stop()
    }
  })
})
