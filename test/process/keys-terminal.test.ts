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

import type { KeyView } from "../../src/contract/bot-views.ts"
import {
  countersignJson,
  countersignTyped,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { ctrlC, enter } from "../support/typist.ts"

const password = "for the file that leaves"

describe("keys at the keyboard", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const keys = (...words: readonly string[]) => ["keys", ...words, "--dir", installation.dir]
  const imported = (name: string, ...more: readonly string[]) =>
    keys("import", "--name", name, "--role", "wallet", ...more)
  const listed = () => countersignJson<readonly KeyView[]>(keys("list"))

  it(
    "are imported by a hidden prompt on a terminal, and standard output has the JSON alone",
    needsTerminal,
    async () => {
      const secret = hexlify(randomBytes(32))
      const stdout = join(installation.home, "stdout")
      const words = [process.execPath, bin, ...imported("typed", "--json")]
      const command = `${shellLine(words)} > ${shellLine([stdout])}`
      const { code, screen } = await onTerminal(command, [
        { after: "Private key, 64 hex", keys: `${secret}${enter}` },
      ])
      assert.equal(code, 0)
      const { address } = JSON.parse(readFileSync(stdout, "utf8")) as KeyView
      assert.equal(address, computeAddress(secret))
      for (let at = 0; at < secret.length - 6; at += 6) {
        assert.equal(screen.includes(secret.slice(at, at + 6)), false)
      }
    },
  )

  it("are imported out of a mnemonic that is typed, and address and path are shown", async () => {
    const wallet = HDNodeWallet.createRandom("", "m/44'/60'/1'/0/0")
    const words = wallet.mnemonic?.phrase ?? ""
    const args = imported("from-words", "--mnemonic", "--path", "m/44'/60'/1'/0/0")
    const { code, stdout, stderr } = await countersignTyped(args, [
      { after: "Mnemonic, its words", keys: `${words}${enter}` },
    ])
    assert.equal(code, 0)
    for (const shown of [wallet.address, "m/44'/60'/1'/0/0", "signed and recovered: ok"]) {
      assert.ok(stdout.includes(shown), shown)
    }
    assert.equal(`${stdout}${stderr}`.includes(words.slice(0, 12)), false)
  })

  it("are imported out of a keystore file, whose password is asked for", async () => {
    const privateKey = hexlify(randomBytes(32))
    const account = { address: computeAddress(privateKey), privateKey }
    const json = await encryptKeystoreJson(account, password, { scrypt: { N: 4096 } })
    const from = join(installation.home, "keystore.json")
    writeFileSync(from, json, { mode: 0o600 })
    const { code, stdout, stderr } = await countersignTyped(imported("from-file", "--from", from), [
      { after: "Password of the keystore file", keys: `${password}${enter}` },
    ])
    assert.equal(code, 0, stderr)
    assert.ok(stdout.includes(account.address))
    assert.equal(`${stdout}${stderr}`.includes(password), false)
  })

  it("aren't imported when the prompt is left", async () => {
    const earlier = await listed()
    const { code, stderr } = await countersignTyped(imported("left"), [
      { after: "Private key, 64 hex", keys: `${hexlify(randomBytes(8))}${ctrlC}` },
    ])
    assert.equal(code, 1)
    assert.match(stderr, /countersign: Nothing was done\.\n$/)
    assert.deepEqual(await listed(), earlier)
  })

  describe("that leave", () => {
    const secret = hexlify(randomBytes(32))
    const address = computeAddress(secret)
    let to: string
    let exported: readonly string[]
    before(async () => {
      to = join(installation.home, "exported.json")
      exported = keys("export", "--name", "main", "--to", to)
      await countersignJson(imported("main"), secret)
    })

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
        const { code, stderr } = await countersignTyped(exported, typed)
        assert.equal(code, 1)
        assert.match(stderr, /countersign: Nothing was done\.\n$/)
        assert.equal(existsSync(to), false)
        assert.equal(exports(), 0)
      })
    }

    it("aren't asked about while the daemon runs", async () => {
      const daemon = await serve(installation.dir)
      const { code, stderr } = await countersignTyped(exported, [])
      assert.equal(await daemon.stop(), 0)
      assert.equal(code, 4)
      assert.match(stderr, /^countersign: Keys are exported with the daemon stopped; [^\n]+\n$/)
    })

    it(
      "are written once a person has seen the address and typed a password twice",
      needsTerminal,
      async () => {
        const { code, screen } = await onTerminal(shellLine([process.execPath, bin, ...exported]), [
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
      },
    )
  })
})
