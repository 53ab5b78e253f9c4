import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { hexlify, randomBytes } from "ethers"

import {
  bin,
  countersign,
  makeInstallation,
  passphrase,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming, processesNaming, until } from "../support/process-tree.ts"
import { addClient } from "../support/trading-keys.ts"

const secret = hexlify(randomBytes(32)).slice(2)

describe("secrets", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  it("never show on a command line or in an environment, nor in what is printed", async () => {
    const { dir } = installation
    const daemon = await serve(dir)
    const args = ["keys", "import", "--dir", dir, "--name", "main", "--role", "wallet"]
    const importing = spawn(process.execPath, [bin, ...args], { stdio: "pipe" })
    importing.stdin.write(secret)
    const seen = await until(() => {
      const found = processesNaming(dir)
      return found.length === 4 ? found : undefined
    }, "supervisor, gate, vault and command run")
    importing.stdin.end()
    const [code] = (await once(importing, "exit")) as [number | null]
    assert.equal(code, 0)
    const token = await addClient(dir, "bot", ["--keys", "main"])
    const adminSecret = readFileSync(join(dir, "admin.secret"), "utf8")

    const shown = [...seen, ...processesNaming(dir)].map(
      ({ commandLine, environment }) => `${commandLine}\n${environment}`,
    )
    await daemon.stop()
    const texts = [...shown, daemon.stdout(), daemon.stderr()]
    for (const word of [secret, base64Of(secret), passphrase, token, adminSecret]) {
      for (const text of texts) assert.equal(text.includes(word), false)
    }
  })

  for (const args of [
    ["keys", "import", "--name", "x", "--role", "wallet", secret],
    ["keys", "import", "--name", "x", "--role", "wallet", `0x${secret}`, "--json"],
    ["keys", "import", "--name", "x", "--role", "wallet", `--secret=${secret}`],
    ["keys", "import", "--name", "x", "--role", "wallet", "--secret", secret],
    ["keys", "export", "--name", "x", "--to", "y", "--password-file", "z", secret],
    ["init", `--passphrase=${secret}`],
    ["serve", `--passphrase=${secret}`],
  ]) {
    const shown = args.join(" ").replace(secret, "…")
    it(`aren't taken as arguments, nor repeated: countersign ${shown}`, async () => {
      const ended = await countersign(args)
      assert.equal(ended.code, 2)
      assert.equal(`${ended.stdout}${ended.stderr}`.includes(secret), false)
      assert.match(ended.stderr, /unknown option '--\w+(=…)?'|too many arguments/)
    })
  }

  it("aren't taken from the environment", async () => {
    const environment = {
      COUNTERSIGN_PASSPHRASE: passphrase,
      PASSPHRASE: passphrase,
      COUNTERSIGN_PASSPHRASE_FILE: installation.passphraseFile,
    }
    const dir = join(installation.home, "other")
    const ended = await countersign(["init", "--dir", dir], "", { environment })
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: The keystore's passphrase is needed: /)
  })
})

function base64Of(hex: string): string {
  return Buffer.from(hex, "hex").toString("base64")
}
