import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, symlinkSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { computeAddress, encryptKeystoreJson, HDNodeWallet, hexlify, randomBytes } from "ethers"

import type { KeyView } from "../../src/contract/bot-views.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { bin, node } from "../support/published.ts"

/** The first key of the development nodes' mnemonic, printed in every tutorial. */
const publishedKey = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
/** The mnemonic that it is the first key of. */
const development = `${"test ".repeat(11)}junk`
const password = "under which ethers wrote"

/** What `keys import` prints besides what `keys list` knows. */
type Imported = KeyView & {
  readonly derivation_path: string | null
  readonly signed_and_recovered: boolean
}

describe("countersign keys", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let passwordFile: string
  before(async () => {
    installation = await makeInstallation()
    passwordFile = join(installation.home, "password")
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const privateFile = (name: string, content: string): string => {
    const path = join(installation.home, name)
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }
  const keys = (...args: readonly string[]) => ["keys", ...args, "--dir", installation.dir]
  const imported = (name: string, ...more: readonly string[]) =>
    keys("import", "--name", name, "--role", "wallet", ...more)
  const listed = () => countersignJson<readonly KeyView[]>(keys("list"))

  async function assertNotImported(
    input: string,
    expected: {
      readonly code: string
      readonly options?: readonly string[]
      readonly exit?: number
    },
  ): Promise<void> {
    const earlier = await listed()
    const args = imported("not-imported", ...(expected.options ?? []), "--json")
    const ended = await countersign(args, input)
    const { error } = JSON.parse(ended.stdout) as { error: { code: string; message: string } }
    assert.equal(error.code, expected.code)
    assert.equal(ended.code, expected.exit ?? 1)
    for (const secret of [input.trim(), password]) {
      assert.equal(`${ended.stdout}${ended.stderr}`.includes(secret), false)
    }
    assert.deepEqual(await listed(), earlier)
  }

  it("generates a wallet key and an agent of it, and lists what it said of them", async () => {
    const wallet = await countersignJson<KeyView>(
      keys("generate", "--name", "main", "--role", "wallet"),
    )
    const agentOptions = ["--name", "mm", "--role", "agent", "--wallet", "main"]
    const agent = await countersignJson<KeyView>(keys("generate", ...agentOptions))
    for (const { address, network } of [wallet, agent]) {
      assert.match(address, /^0x[0-9a-fA-F]{40}$/)
      assert.match(network, /^0x[0-9a-f]{64}$/)
    }
    const common = {
      targets: [],
      network: wallet.network,
      approval: "unknown",
      expires_at: null,
      last_used: null,
      locked: false,
    }
    const { address } = wallet
    assert.deepEqual(wallet, { name: "main", address, role: "wallet", wallet: null, ...common })
    assert.deepEqual(agent, {
      ...{ name: "mm", address: agent.address, role: "agent", wallet: "main" },
      ...common,
    })
    assert.deepEqual(await listed(), [wallet, agent])
  })

  for (const [name, written] of [
    ["with-0x", (key: string) => key],
    ["without-0x", (key: string) => key.slice(2)],
    ["with-newline", (key: string) => `${key.slice(2).toUpperCase()}\n`],
    ["published", () => publishedKey],
  ] as const) {
    it(`imports hex from standard input (${name})`, async () => {
      const secret = name === "published" ? publishedKey : hexlify(randomBytes(32))
      const { derivation_path, signed_and_recovered, ...key } = await countersignJson<Imported>(
        imported(name),
        written(secret),
      )
      assert.equal(key.address, computeAddress(secret))
      assert.deepEqual([derivation_path, signed_and_recovered], [null, true])
      assert.deepEqual((await listed()).at(-1), key)
    })
  }

  it("refuses a name or an address that it has already", async () => {
    const secret = hexlify(randomBytes(32))
    await countersignJson(imported("once"), secret)
    const ended = await countersign(imported("once", "--json"), hexlify(randomBytes(32)))
    assert.match(ended.stdout, /^\{"error":\{"code":"name_taken",/)
    await assertNotImported(secret, { code: "name_taken" })
  })

  it("imports a v3 keystore that ethers wrote", async () => {
    const { address, json } = await keystoreOfEthers()
    const from = ["--keystore-password-file", passwordFile]
    const key = await countersignJson<KeyView>(imported("from-ethers", ...from), json)
    assert.equal(key.address, address)
  })

  it("imports a mnemonic that ethers made, at the first path of wallets", async () => {
    const { mnemonic, address } = HDNodeWallet.createRandom()
    const key = await countersignJson<Imported>(
      imported("from-words", "--mnemonic"),
      `${mnemonic?.phrase}\n`,
    )
    assert.equal(key.address, address)
    assert.equal(key.derivation_path, "m/44'/60'/0'/0/0")
  })

  it("imports a mnemonic with a passphrase of its own at another path, from a file", async () => {
    const [path, word] = ["m/44'/60'/3'/1/7", "öffne dich"]
    const { phrase } = HDNodeWallet.createRandom().mnemonic!
    const expected = HDNodeWallet.fromPhrase(phrase, word, path)
    const files = { from: privateFile("words", phrase), word: privateFile("word", `${word}\n`) }
    const options = ["--from", files.from, "--mnemonic-passphrase-file", files.word]
    const args = imported("at-a-path", "--mnemonic", "--path", path, ...options)
    const { stdout, stderr, code } = await countersign(args)
    const lines = [
      `at-a-path: wallet key, address ${expected.address}`,
      `derivation path: ${path}`,
      "signed and recovered: ok",
    ]
    assert.deepEqual(
      [stdout, stderr, code],
      [`${lines.join("\n")}\n`, `Installation: ${installation.dir}\n`, 0],
    )
  })

  it("refuses a file with the key that others could read, and says what fixes it", async () => {
    const from = privateFile("open", hexlify(randomBytes(32)))
    chmodSync(from, 0o640)
    const ended = await countersign(imported("not-imported", "--from", from))
    assert.equal(
      ended.stderr,
      `countersign: ${from} is open to other users; run: chmod 600 ${from}\n`,
    )
    assert.equal(ended.code, 1)
    const link = join(installation.home, "link")
    symlinkSync(from, link)
    const unread = hexlify(randomBytes(32))
    await assertNotImported(unread, { code: "file_unsafe", options: ["--from", link] })
    const none = join(installation.home, "none")
    await assertNotImported(unread, { code: "usage", options: ["--from", none], exit: 2 })
  })

  it("refuses a keystore with a wrong password", async () => {
    const wrongFile = join(installation.home, "wrong")
    writeFileSync(wrongFile, "another\n", { mode: 0o600 })
    const { json } = await keystoreOfEthers()
    const options = ["--keystore-password-file", wrongFile]
    await assertNotImported(json, { code: "passphrase_wrong", options })
  })

  it("imports a keystore under a password that its writer brought into NFKC, and under an empty one", async () => {
    const typed = "nº 5 e\u0301te\u0301"
    const normalised = await keystoreOfEthers(typed) // ethers normalises it
    const of = (name: string, file: string) => imported(name, "--keystore-password-file", file)
    const one = await countersignJson<KeyView>(
      of("nfkc", privateFile("nfkc", typed)),
      normalised.json,
    )
    assert.equal(one.address, normalised.address)
    const empty = await keystoreOfEthers("")
    const two = await countersignJson<KeyView>(of("empty", privateFile("empty", "\n")), empty.json)
    assert.equal(two.address, empty.address)
  })

  it("takes secrets by pipes: -, a descriptor of the shell's, a FIFO of one's own", async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => keystoreOfEthers()))
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    const from = (name: string, { json }: { json: string }) =>
      imported(name, "--from", privateFile(`${name}.json`, json), "--json")
    const byStdin = ["--keystore-password-file", "-"]
    const one = await countersign([...from("by-stdin", first), ...byStdin], `${password}\n`)
    assert.equal(one.code, 0, one.stdout)

    const line = '"$0" "$@" --keystore-password-file <(printf %s "$PASSWORD")'
    const words = [bin, ...from("by-shell", second)]
    const two = spawnSync("bash", ["-c", line, node, ...words], {
      env: { ...process.env, PASSWORD: password },
      encoding: "utf8",
    })
    assert.equal(two.status, 0, two.stdout + two.stderr)

    const fifo = join(installation.home, "fifo")
    execFileSync("mkfifo", ["-m", "600", fifo])
    const asked = countersign([...from("by-fifo", third), "--keystore-password-file", fifo])
    await writeFile(fifo, `${password}\n`)
    assert.equal((await asked).code, 0)
  })

  it("reads no pipe that others could write to, and no secret twice from standard input", async () => {
    const { json } = await keystoreOfEthers()
    const open = join(installation.home, "open-fifo")
    execFileSync("mkfifo", ["-m", "622", open])
    await assertNotImported(json, {
      code: "file_unsafe",
      options: ["--keystore-password-file", open],
    })
    const options = ["--keystore-password-file", "-"]
    await assertNotImported(json, { code: "usage", options, exit: 2 })
    const closed = ["--keystore-password-file", "/dev/fd/987"]
    await assertNotImported(json, { code: "usage", options: closed, exit: 2 })
  })

  it("names the password that is wrong, and where it came from", async () => {
    const wrongFile = privateFile("wrong-too", "another")
    const file = privateFile("keystore.json", (await keystoreOfEthers()).json)
    const { stderr } = await countersign(
      imported("not-imported", "--from", file, "--keystore-password-file", wrongFile),
    )
    assert.equal(
      stderr,
      `countersign: The password of the keystore file ${file} is wrong: ${wrongFile}. Try again with the right one.\n`,
    )
  })

  for (const [what, input] of [
    ["nothing", ""],
    ["a word", "hunter2"],
    ["63 digits", "1".repeat(63)],
    ["65 digits", "1".repeat(65)],
    ["zero", "0".repeat(64)],
    ["the curve's order", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"],
    ["more than 64 KiB", "1".repeat(65_537)],
  ] as const) {
    it(`refuses ${what} for a key`, async () => {
      const ended = await countersign(imported("not-imported", "--json"), input)
      assert.equal(ended.code, 1)
      assert.match(ended.stdout, /^\{"error":\{"code":"key_invalid","message":"[^"]+"\}\}\n$/)
      assert.equal(input !== "" && ended.stdout.includes(input), false)
    })
  }

  const words = HDNodeWallet.createRandom().mnemonic?.phrase ?? ""
  for (const [what, input, options, expected] of [
    ["a mnemonic without --mnemonic", words, [], /holds 12 words; .* add --mnemonic/],
    ["a keystore without its password", `{"version":3}`, [], /--keystore-password-file/],
    ["hex with --mnemonic", "1".repeat(64), ["--mnemonic"], /holds hex .* leave --mnemonic out/],
    ["JSON with --mnemonic", "{}", ["--mnemonic"], /holds JSON .* leave --mnemonic out/],
    ["--path alone", words, ["--path", "m/0"], /go with --mnemonic/],
    ["a passphrase alone", words, ["--mnemonic-passphrase-file", "x"], /go with --mnemonic/],
    ["a path from nowhere", words, ["--mnemonic", "--path", "44'/60'"], /must start with m\//],
    ["a path with a gap", words, ["--mnemonic", "--path", "m/44'//0"], /nothing at level 2/],
    [
      "two forms at once",
      words,
      ["--mnemonic", "--keystore-password-file", "x"],
      /a mnemonic or a keystore/,
    ],
  ] as const) {
    it(`refuses ${what}, and names the option`, async () => {
      const ended = await countersign(imported("not-imported", ...options), input)
      assert.match(ended.stderr, expected)
      assert.match(ended.stderr, /^countersign: [^\n]+\.\n$/)
      assert.equal(ended.stderr.includes(input), false)
      assert.deepEqual([ended.stdout, ended.code], ["", 2])
    })
  }

  for (const [what, input, options, expected] of [
    ["63 digits", "1".repeat(63), [], "Standard input holds 63 hex digits; a private key has 64."],
    [
      "spaces between the digits",
      "11 ".repeat(32),
      [],
      "Standard input holds 64 hex digits with white space between them; take it out.",
    ],
    [
      "a letter among them",
      `${"1".repeat(40)}O${"1".repeat(23)}`,
      [],
      "Standard input isn't hex at character 41; give 64 hex digits, a v3 JSON keystore, or a mnemonic with --mnemonic.",
    ],
    ["nothing", "", [], "Standard input holds nothing; a private key is 64 hex digits."],
    [
      "zero",
      "0".repeat(64),
      [],
      "Standard input holds zero or a number beyond the curve's order, and neither is a private key.",
    ],
    [
      "a mnemonic with a wrong word",
      words.replace(/^\w+/, "abandom"),
      ["--mnemonic"],
      "Word 1 of the mnemonic isn't in the English list of BIP-39.",
    ],
  ] as const) {
    it(`says what is wrong with ${what}`, async () => {
      const ended = await countersign(imported("not-imported", ...options), input)
      assert.deepEqual([ended.stderr, ended.code], [`countersign: ${expected}\n`, 1])
    })
  }

  it("refuses text that isn't a keystore beside a password", async () => {
    const options = ["--keystore-password-file", passwordFile]
    await assertNotImported("hunter2 in no keystore", { code: "keystore_invalid", options })
  })

  for (const [what, options, exit, code] of [
    [
      "an agent of a wallet key that it doesn't have",
      ["--role", "agent", "--wallet", "none"],
      1,
      "name_unknown",
    ],
    ["a wallet for a wallet key", ["--role", "wallet", "--wallet", "main"], 2, "usage"],
    ["a role that it doesn't know", ["--role", "owner"], 2, "usage"],
    ["a key without a role", [], 2, "usage"],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const ended = await countersign(keys("generate", "--name", "x", ...options, "--json"))
      assert.equal(ended.code, exit)
      const { error } = JSON.parse(ended.stdout) as { error: { code: string } }
      assert.equal(error.code, code)
      // A person's slip is no failure of the daemon's.
      assert.doesNotMatch(daemon.stderr(), /"event":"call_failed"/)
    })
  }

  it("refuses names that can't be files", async () => {
    for (const name of ["../x", "A", "", ".x", "x".repeat(65)]) {
      const ended = await countersign(keys("generate", "--name", name, "--role", "wallet"))
      assert.match(ended.stderr, /^countersign: Fix name: 1 to 64 of [^\n]+\n$/)
      assert.equal(ended.code, 2)
    }
  })
})

// All else is read and refused alike, whoever answers: commands/installation/admin.ts is one way for both.
describe("countersign keys with the daemon stopped", { timeout: 60_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
  })
  after(() => installation.remove())

  const keys = (...args: readonly string[]) => ["keys", ...args, "--dir", installation.dir]

  it("generates, imports and lists", async () => {
    const secret = hexlify(randomBytes(32))
    const made = await countersignJson<KeyView>(
      keys("generate", "--name", "main", "--role", "wallet"),
    )
    const agent = ["--name", "mm", "--role", "agent", "--wallet", "main"]
    const { derivation_path, signed_and_recovered, ...imported } = await countersignJson<Imported>(
      keys("import", ...agent),
      secret,
    )
    assert.equal(imported.address, computeAddress(secret))
    assert.deepEqual([derivation_path, signed_and_recovered], [null, true])
    assert.deepEqual(await countersignJson(keys("list")), [made, imported])
  })

  it("refuses what the vault refuses, and keeps what it has", async () => {
    const earlier = await countersignJson(keys("list"))
    for (const [options, code, exit] of [
      [["--name", "main", "--role", "wallet"], "name_taken", 1],
      [["--name", "x", "--role", "agent", "--wallet", "none"], "name_unknown", 1],
      [["--name", "../x", "--role", "wallet"], "usage", 2],
    ] as const) {
      const ended = await countersign(keys("generate", ...options, "--json"))
      const { error } = JSON.parse(ended.stdout) as { error: { code: string } }
      assert.deepEqual([error.code, ended.code], [code, exit])
    }
    assert.deepEqual(await countersignJson(keys("list")), earlier)
  })
})

describe("countersign keys import on the main network", () => {
  it("refuses a published test key, in hex and out of its mnemonic", async (t) => {
    const installation = await makeInstallation(["--venue", "main"])
    t.after(() => installation.remove())
    const args = ["keys", "import", "--dir", installation.dir, "--name", "x", "--role", "wallet"]
    for (const [options, input] of [
      [[], publishedKey],
      [["--mnemonic"], development],
      [["--mnemonic", "--path", "m/44'/60'/0'/0/19"], development.toUpperCase()],
    ] as const) {
      const ended = await countersign([...args, ...options], input)
      assert.equal(ended.code, 1)
      assert.match(ended.stderr, /^countersign: This private key is a published test key [^\n]+\n$/)
    }
    assert.deepEqual(await countersignJson(["keys", "list", "--dir", installation.dir]), [])
  })
})

describe("keys in memory", () => {
  it("are taken while the daemon runs alone, and are gone with it", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    t.after(() => installation.remove())
    const { dir } = installation
    const args = ["keys", "generate", "--dir", dir, "--name", "x", "--role", "wallet"]
    const refused = await countersign(args)
    assert.match(
      refused.stderr,
      /^countersign: .* memory; start countersign serve --dir \S+, [^\n]+\n$/,
    )
    assert.equal(refused.code, 4)

    const daemon = await serve(dir)
    await countersignJson(args)
    assert.equal(await daemon.stop(), 0)
    const gone = await countersignProcess(["serve", "--dir", dir, "--port", "0"])
    assert.match(gone.stderr, /^countersign: The key x was kept in memory and is gone [^\n]+\n$/)
    assert.equal(gone.code, 1)
  })
})

async function keystoreOfEthers(under = password) {
  const privateKey = hexlify(randomBytes(32))
  const address = computeAddress(privateKey)
  const options = { scrypt: { N: 4096 } } // ethers' own would take it seconds
  return { address, json: await encryptKeystoreJson({ address, privateKey }, under, options) }
}
