import assert from "node:assert/strict"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  computeAddress,
  decryptKeystoreJson,
  encryptKeystoreJson,
  HDNodeWallet,
  hexlify,
  randomBytes,
} from "ethers"

import type { KeyView } from "../../src/link/views.ts"
import {
  bin,
  countersignJson,
  makePassphraseInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import {
  ctrlC,
  enter,
  needsTerminal,
  onTerminal,
  shellLine,
  type Typed,
} from "../support/terminal.ts"

const password = "for the file that leaves"

describe("keys at the keyboard", { timeout: 180_000, ...needsTerminal }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makePassphraseInstallation()
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const line = (words: readonly string[]): string =>
    shellLine([process.execPath, bin, "keys", ...words, "--dir", installation.dir])
  const imported = (name: string, ...more: readonly string[]): string =>
    line(["import", "--name", name, "--role", "wallet", ...more])
  const listed = () =>
    countersignJson<readonly KeyView[]>(["keys", "list", "--dir", installation.dir])

  it("are imported by a hidden prompt, and standard output has the JSON alone", async () => {
    const secret = hexlify(randomBytes(32))
    const stdout = join(installation.home, "stdout")
    const command = `${imported("typed", "--json")} > ${shellLine([stdout])}`
    const keys = `${secret}${enter}`
    const { code, screen } = await onTerminal(command, [{ after: "Private key, 64 hex", keys }])
    assert.equal(code, 0)
    const { address } = JSON.parse(readFileSync(stdout, "utf8")) as KeyView
    assert.equal(address, computeAddress(secret))
    for (let at = 0; at < secret.length - 6; at += 6) {
      assert.equal(screen.includes(secret.slice(at, at + 6)), false)
    }
  })

  it("are imported out of a mnemonic that is typed, and address and path are shown", async () => {
    const wallet = HDNodeWallet.createRandom("", "m/44'/60'/1'/0/0")
    const words = wallet.mnemonic?.phrase ?? ""
    const command = imported("from-words", "--mnemonic", "--path", "m/44'/60'/1'/0/0")
    const keys = `${words}${enter}`
    const { code, screen } = await onTerminal(command, [{ after: "Mnemonic, its words", keys }])
    assert.equal(code, 0)
    for (const shown of [wallet.address, "m/44'/60'/1'/0/0", "signed and recovered: ok"]) {
      assert.ok(screen.includes(shown), shown)
    }
    assert.equal(screen.includes(words.slice(0, 12)), false)
  })

  it("are imported out of a keystore file, whose password is asked for", async () => {
    const privateKey = hexlify(randomBytes(32))
    const account = { address: computeAddress(privateKey), privateKey }
    const json = await encryptKeystoreJson(account, password, { scrypt: { N: 4096 } })
    const from = join(installation.home, "keystore.json")
    writeFileSync(from, json, { mode: 0o600 })
    const { code, screen } = await onTerminal(imported("from-file", "--from", from), [
      { after: "Password of the keystore file", keys: `${password}${enter}` },
    ])
    assert.equal(code, 0, screen)
    assert.ok(screen.includes(account.address))
    assert.equal(screen.includes(password), false)
  })

  it("aren't imported when the prompt is left", async () => {
    const earlier = await listed()
    const { code, screen } = await onTerminal(imported("left"), [
      { after: "Private key, 64 hex", keys: `${hexlify(randomBytes(8))}${ctrlC}` },
    ])
    assert.equal(code, 1)
    assert.match(screen, /countersign: Nothing was done\.\r?\n/)
    assert.deepEqual(await listed(), earlier)
  })

  describe("that leave", () => {
    const secret = hexlify(randomBytes(32))
    const address = computeAddress(secret)
    let to: string
    before(async () => {
      to = join(installation.home, "exported.json")
      const args = ["keys", "import", "--dir", installation.dir, "--name", "main"]
      await countersignJson([...args, "--role", "wallet"], secret)
    })

    const exported = (typed: readonly Typed[]) =>
      onTerminal(line(["export", "--name", "main", "--to", to]), typed)
    const exports = () =>
      readLedger(join(installation.dir, "ledger.db")).filter(
        ({ row }) => row["act"] === "key_exported",
      ).length
    const question = `Write the private key main of ${address}`

    for (const [how, typed] of [
      ["refused", [{ after: question, keys: enter }]],
      ["left at the question", [{ after: question, keys: ctrlC }]],
      [
        "left at the password",
        [
          { after: question, keys: "y" },
          { after: "New password", keys: ctrlC },
        ],
      ],
      [
        "left at its repetition",
        [
          { after: question, keys: "y" },
          { after: "New password", keys: `${password}${enter}` },
          { after: "once more", keys: ctrlC },
        ],
      ],
    ] as const) {
      it(`stay when that is ${how}: no file, no record`, async () => {
        const { code, screen } = await exported(typed)
        assert.equal(code, 1)
        assert.match(screen, /countersign: Nothing was done\.\r?\n/)
        assert.equal(existsSync(to), false)
        assert.equal(exports(), 0)
      })
    }

    it("aren't asked about while the daemon runs", async () => {
      const daemon = await serve(installation.dir)
      const { code, screen } = await exported([])
      assert.equal(await daemon.stop(), 0)
      assert.equal(code, 4)
      assert.match(screen, /^countersign: Keys are exported with the daemon stopped; [^\n]+\n$/)
    })

    it("are written once a person has seen the address and typed a password twice", async () => {
      const { code, screen } = await exported([
        { after: question, keys: "y" },
        { after: "New password", keys: `short${enter}` },
        { after: "It has 5 characters", keys: `${password}${enter}` },
        { after: "once more", keys: `${password}${enter}` },
      ])
      assert.equal(code, 0, screen)
      assert.equal(screen.includes(password), false)
      const opened = await decryptKeystoreJson(readFileSync(to, "utf8"), password)
      assert.deepEqual([opened.privateKey, opened.address], [secret, address])
      assert.equal(exports(), 1)
    })
  })
})
