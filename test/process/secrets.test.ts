import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"

import { hexlify, randomBytes } from "ethers"

import { decryptV3 } from "../../src/vault/keyring/keystore-v3.ts"
import { bot, limitOrder } from "../support/bot.ts"
import { keepPrinted, registerGiven } from "../support/canaries-of-commands.ts"
import { registerSecret } from "../support/canaries.ts"
import { scanFor, type Canary } from "../support/canaries-scan.ts"
import {
  countersign,
  countersignProcess,
  makeInstallation,
  passphrase,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { killAllNaming, processesNaming, until } from "../support/process-tree.ts"
import { addClient, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

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
    registerGiven(args, secret)
    const importing = spawn(process.execPath, [bin, ...args], { stdio: "pipe" })
    importing.stdin.write(secret)
    const seen = await until(() => {
      const found = processesNaming(dir)
      return found.length === 4 ? found : undefined
    }, "supervisor, gate, vault and command run")
    importing.stdin.end()
    const [stdout, stderr, [code]] = await Promise.all([
      text(importing.stdout),
      text(importing.stderr),
      once(importing, "exit") as Promise<[number | null]>,
    ])
    keepPrinted(args, { stdout, stderr })
    assert.equal(code, 0)
    const token = await addClient(dir, "bot", ["--keys", "main"])
    const adminSecret = readFileSync(join(dir, "admin.secret"), "utf8")

    const shown = [...seen, ...processesNaming(dir)].map(
      ({ commandLine, environment }) => `${commandLine}\n${environment}`,
    )
    await daemon.stop()
    const outputs = [...shown, daemon.stdout(), daemon.stderr(), stdout, stderr]
    const known = { secret: Buffer.from(secret, "hex"), passphrase, token, adminSecret }
    assertNoneIn(outputs, Object.entries(known))
  })

  it("never show either when they were made here and nobody was told", async () => {
    const { dir } = installation
    await writePolicy(dir, tradingPolicy)
    const daemon = await serve(dir)
    const generate = ["keys", "generate", "--dir", dir, "--name", "made", "--role", "agent"]
    const made = await countersign([...generate, "--json"])
    assert.equal(made.code, 0)
    const client = bot(daemon.url, await addClient(dir, "maker", ["--keys", "made"]))
    const signed = await client.post("/sign/v1/trade/orders", limitOrder())
    assert.equal(signed.status, 200)
    const refused = await client.post("/sign/v1/trade/orders", limitOrder({ quantity: "x" }))
    assert.equal(refused.status, 400)
    await daemon.stop()

    const keyFile = (name: string) => readFileSync(join(dir, "keystore", `${name}.json`), "utf8")
    const master = await decryptV3(keyFile("master"), Buffer.from(passphrase))
    const key = await decryptV3(keyFile("made"), master)
    registerSecret("the keystore's master secret", master)
    registerSecret("a key generated in the keystore", key)
    const answers = [signed, refused].map(
      ({ text: body, headers }) => `${body}${[...headers].join()}`,
    )
    const printed = [made.stdout, made.stderr, daemon.stdout(), daemon.stderr()]
    assertNoneIn([...answers, ...printed, ...filesBelow(dir)], Object.entries({ master, key }))
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
    const ended = await countersignProcess(["init", "--dir", dir], "", { environment })
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: The keystore's passphrase is needed: /)
  })
})

/** In none of the forms that bytes may take. */
function assertNoneIn(
  outputs: readonly (string | Buffer)[],
  secrets: readonly (readonly [string, string | Uint8Array])[],
): void {
  const canaries = secrets.map(([name, secret]): Canary => ({ name, secret: Buffer.from(secret) }))
  const scan = scanFor(canaries)
  for (const output of outputs) assert.deepEqual(scan(Buffer.from(output)), [])
}

function filesBelow(directory: string): readonly Buffer[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path))
}
