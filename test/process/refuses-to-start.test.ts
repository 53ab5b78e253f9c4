import assert from "node:assert/strict"
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignJson,
  countersignProcess,
  makePassphraseFileInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { fingerprint } from "../support/fingerprint.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { assertRefused, copyOf, type Place } from "../support/refused-start.ts"

describe("countersign serve refuses to start", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  /** A copy that has a key, and so a ledger. */
  let used: string
  before(async () => {
    installation = await makePassphraseFileInstallation()
    used = join(installation.home, "used")
    cpSync(installation.dir, used, { recursive: true })
    const key = ["keys", "generate", "--dir", used, "--name", "main", "--role", "wallet"]
    await countersignJson(key)
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  it("with a wrong passphrase over a key", async () => {
    const place = copyOf(installation, used)
    writeFileSync(place.passphraseFile, "a wrong one\n")
    await assertRefused(place, { says: /The passphrase is wrong/ })
  })

  it("without a passphrase file when there is no terminal to ask on", async () => {
    const { dir } = copyOf(installation)
    const config = join(dir, "countersign.yaml")
    writeFileSync(config, readFileSync(config, "utf8").replace(/^ {2}passphrase_file.*$/m, ""))
    const filesBefore = fingerprint(dir)
    const ended = await countersignProcess(["serve", "--dir", dir, "--port", "0"], "a guess\n")
    assert.match(ended.stderr, /^countersign: The keystore's passphrase is needed: [^\n]+\n$/)
    assert.equal(ended.code, 1)
    assert.deepEqual(fingerprint(dir), filesBefore)
  })

  it("on a port in use", async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
    const { port } = other.address() as AddressInfo
    await assertRefused(copyOf(installation), {
      says: new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use; stop the other program or`),
      command: ["serve", "--port", String(port)],
    })
    other.close()
  })

  it("a second time on one directory", async () => {
    const place = copyOf(installation, used)
    const daemon = await serve(place.dir)
    try {
      const { port } = new URL(daemon.url)
      for (const own of ["0", port]) {
        const command = ["serve", "--port", own]
        const says = /A daemon runs on \/.*\/d already; stop it first, or use another directory\.$/m
        await assertRefused(place, { says, command })
      }
      // The lock alone: the daemon can't be asked without its secret.
      renameSync(join(place.dir, "admin.secret"), `${place.dir}.secret`)
      await assertRefused(place, { says: /Another Countersign runs on \/.*\/d; stop it first/ })
      assert.equal((await fetch(`${daemon.url}/readyz`)).status, 200)
    } finally {
      await daemon.stop()
    }
  })

  it("in a directory whose path is too long for a socket", async () => {
    const { dir, passphraseFile } = copyOf(installation)
    const longest = 107 - "/admin.sock".length
    const long = `${dir}/${"x".repeat(longest + 3 - dir.length)}`
    cpSync(installation.dir, long, { recursive: true })
    await assertRefused(
      { dir: long, passphraseFile },
      { says: /too long a path for the sockets in it; choose .* 4 bytes shorter\.$/m },
    )
  })

  for (const [what, says, code, spoil] of [
    ["an empty directory", /countersign\.yaml doesn't exist; run countersign init/, 1, empty],
    ["another program's file for a ledger", /ledger\.db /, 4, (dir) => overwrite(dir, "ledger.db")],
  ] as const satisfies readonly (readonly [string, RegExp, number, (dir: string) => void])[]) {
    it(`on ${what}`, async () => {
      const place = copyOf(installation, used)
      spoil(place.dir)
      await assertRefused(place, { says, code })
    })
  }

  it("on a directory that isn't there", async () => {
    const { dir, passphraseFile }: Place = copyOf(installation)
    const args = ["serve", "--dir", `${dir}/none`, "--passphrase-file", passphraseFile]
    const { code, stderr } = await countersignProcess(args)
    assert.match(
      stderr,
      /^countersign: \/.*\/none.* doesn't exist; run countersign init --dir \S+ first\.\n$/,
    )
    assert.equal(code, 1)
  })

  // What opens the vault is the same for all: those above show that it comes through serve, which starts a process for it.
  describe("as a command does that opens the vault itself:", () => {
    const command = ["keys", "generate", "--name", "other", "--role", "wallet"]
    for (const [what, says, spoil] of [
      [
        "with a passphrase file that others can read",
        /\/passphrase is open to other users; run: chmod 600 \/.*\/passphrase$/m,
        ({ passphraseFile }) => chmodSync(passphraseFile, 0o644),
      ],
      [
        "with no passphrase file",
        /\/passphrase doesn't exist; it should hold the passphrase \(mode 0600\)\.$/m,
        ({ passphraseFile }) => rmSync(passphraseFile),
      ],
      [
        "on a ledger that others can read",
        /ledger\.db is open to other users; run: chmod 600/,
        ({ dir }) => chmodSync(join(dir, "ledger.db"), 0o644),
      ],
      [
        "on a keystore that others get into",
        /keystore is open to other users; run: chmod 700/,
        ({ dir }) => chmodSync(join(dir, "keystore"), 0o755),
      ],
      [
        "on no keystore",
        /keystore doesn't exist; run countersign init/,
        ({ dir }) => take(dir, "keystore"),
      ],
      [
        "on a broken master.json",
        /master\.json: /,
        ({ dir }) => overwrite(dir, "keystore/master.json"),
      ],
      [
        "on a key that the ledger knows and the keystore lacks",
        /The ledger knows the key main, .*; restore keystore\/main\.json from a back-up\.$/m,
        ({ dir }) => take(dir, "keystore/main.json"),
      ],
    ] as const satisfies readonly (readonly [string, RegExp, (place: Place) => void])[]) {
      it(what, async () => {
        const place = copyOf(installation, used)
        spoil(place)
        await assertRefused(place, { says, command, by: countersign })
      })
    }

    it("with a wrong passphrase while there is no key yet", async () => {
      const place = copyOf(installation)
      writeFileSync(place.passphraseFile, "a wrong one\n")
      const says =
        /The passphrase is wrong: it doesn't open \S+master\.json; try again with the right one\.$/m
      await assertRefused(place, { says, command, by: countersign })
    })
  })
})

function empty(dir: string): void {
  rmSync(dir, { recursive: true })
  mkdirSync(dir, { mode: 0o700 })
}

function take(dir: string, name: string): void {
  rmSync(join(dir, name), { recursive: true })
}

function overwrite(dir: string, name: string): void {
  writeFileSync(join(dir, name), "something else\n")
}
