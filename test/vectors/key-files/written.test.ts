import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fromHex, utf8 } from "../../../src/std/bytes.ts"
import { decryptPair } from "../../../src/vault/keyring/keystore-v3.ts"
import { nobleCurve } from "../../../src/vault/keyring/curve.ts"
import { readRepositoryFile, sectionOf } from "../../support/markdown.ts"

type Written = {
  readonly package: string
  readonly what: string
  readonly password: string
  readonly secret: string
  readonly file: object
}

const written = JSON.parse(
  readRepositoryFile("test/vectors/key-files/written.json"),
) as readonly Written[]

/** Those that bring a password into NFKC before they use it; `keys import` tries both. */
const normalising = /^(?:ethers|thor-devkit) /

describe("a key file that another package wrote", () => {
  for (const { package: by, what, password, secret, file } of written) {
    it(`opens: ${by}, ${what}`, async () => {
      const read = normalising.test(by) ? password.normalize("NFKC") : password
      const pair = await decryptPair(JSON.stringify(file), utf8(read), nobleCurve)
      assert.deepEqual(pair.secret, fromHex(secret))
    })
  }

  it("is in the table of docs/compatibility.md, and no other", () => {
    const section = sectionOf(readRepositoryFile("docs/compatibility.md"), "Key files, by package")
    const rows = section.split("\n").filter((line) => /^\| [a-z].* \d+\.\d+/.test(line))
    const named = rows.map((line) => line.split("|")[1]?.trim())
    assert.deepEqual(named, [...new Set(written.map(({ package: by }) => by))])
  })
})
