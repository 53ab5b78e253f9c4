import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { text } from "node:stream/consumers"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { inspect } from "node:util"

import fc from "fast-check"

import { registerSecret } from "../support/canaries.ts"
import { scanFor } from "../support/canaries-scan.ts"
import { numRuns } from "../support/runs.ts"

// test/run.ts searches everything that a run printed, answered and stored for every secret that its tests
// made or used. Here: that it would find one.

const key = Buffer.from("f1a2c3b4958677681a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4dfffefdfc", "hex")
const passphrase = Buffer.from("three word phrase")

/** What somebody may write who doesn't think. Made here by other means than the search makes its forms. */
const careless: Readonly<Record<string, (secret: Buffer) => string | Buffer>> = {
  "as it is": (secret) => secret,
  "as text in JSON": (secret) => JSON.stringify({ secret: secret.toString("latin1") }),
  "in hex": (secret) => secret.toString("hex"),
  "in hex with 0x": (secret) => `0x${secret.toString("hex")}`,
  "in hex of capitals": (secret) => secret.toString("hex").toUpperCase(),
  "in hex of capitals with 0X": (secret) => `0X${secret.toString("hex").toUpperCase()}`,
  "in hex from its end": (secret) => Buffer.from(secret).reverse().toString("hex"),
  "in base64": (secret) => secret.toString("base64"),
  "in base64 for URLs": (secret) => secret.toString("base64url"),
  "in base64 after one byte": (secret) => base64Of("{", secret, "}"),
  "in base64 after two bytes": (secret) => base64Of('{"', secret, '"}'),
  "in base64 after three bytes": (secret) => base64Of('{"k', secret, ""),
  "in base64 for URLs after four bytes": (secret) => urlBase64Of('{"k"', secret, "!"),
  "in base64 for URLs after five bytes": (secret) => urlBase64Of('{"k":', secret, "!!"),
  "as an inspected Buffer": (secret) => inspect(secret),
  "as a Buffer in JSON": (secret) => JSON.stringify(secret),
  "as a template makes of bytes": (secret) => new Uint8Array(secret).toString(),
  "as a list with spaces": (secret) => [...secret].map(String).join(", "),
  "as a number": (secret) => BigInt(`0x${secret.toString("hex")}`).toString(),
}

function base64Of(before: string, secret: Buffer, after: string): string {
  return Buffer.concat([Buffer.from(before), secret, Buffer.from(after)]).toString("base64")
}

function urlBase64Of(before: string, secret: Buffer, after: string): string {
  return base64Of(before, secret, after).replaceAll("+", "-").replaceAll("/", "_")
}

function within(before: Uint8Array, shown: string | Buffer, after: Uint8Array): Buffer {
  return Buffer.concat([before, Buffer.from(shown), after])
}

describe("the search for secrets in outputs", () => {
  const scan = scanFor([
    { name: "the key", secret: key },
    { name: "the passphrase", secret: passphrase },
  ])

  for (const [how, show] of Object.entries(careless)) {
    it(`finds one that is shown ${how}`, () => {
      for (const [name, secret] of [
        ["the key", key],
        ["the passphrase", passphrase],
      ] as const) {
        if (how === "as text in JSON" && secret === key) continue // no text
        for (const [before, after] of [
          ["", ""],
          ["x", ""],
          ["", "x"],
          ["a log line: ", ", and more\n"],
        ] as const) {
          const output = within(Buffer.from(before), show(secret), Buffer.from(after))
          assert.deepEqual(
            scan(output).map(({ canary }) => canary),
            [name],
          )
        }
      }
    })
  }

  it("finds any secret anywhere, in any of these ways", () => {
    const ways = Object.entries(careless).filter(([how]) => how !== "as text in JSON")
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 12, maxLength: 48 }),
        fc.constantFrom(...ways),
        fc.tuple(fc.uint8Array({ maxLength: 99 }), fc.uint8Array({ maxLength: 99 })),
        (bytes, [, show], [before, after]) => {
          fc.pre(bytes[0] !== 0) // a number doesn't tell them
          const secret = Buffer.from(bytes)
          const found = scanFor([{ name: "it", secret }])(within(before, show(secret), after))
          assert.equal(found.length, 1)
        },
      ),
      numRuns(300),
    )
  })

  it("finds each of many once, and says in which form it saw it first", () => {
    const hex = key.toString("hex")
    assert.deepEqual(scan(Buffer.from(`${passphrase.toString()} ${hex} ${hex} 0x${hex}`)), [
      { canary: "the passphrase", form: "raw" },
      { canary: "the key", form: "hex" },
    ])
  })

  it("flags nothing that isn't the secret", () => {
    const hex = key.toString("hex")
    const other = Buffer.from(key)
    other.writeUInt8(other.readUInt8(31) ^ 1, 31)
    for (const clean of [
      Buffer.alloc(0),
      Buffer.alloc(11),
      Buffer.alloc(4096),
      key.subarray(0, 31),
      key.subarray(1),
      other,
      Buffer.from(hex.slice(1)),
      Buffer.from(hex.slice(0, -1)),
      Buffer.from(other.toString("hex")),
      Buffer.from(base64Of("{", other, "}")),
      Buffer.from(createHash("sha256").update(key).digest("hex")),
      Buffer.from("three word phras, three  word phrase, Three word phrase"),
      randomBytes(1 << 20),
      Buffer.from(randomBytes(1 << 19).toString("hex")),
    ]) {
      assert.deepEqual(scan(clean), [])
    }
  })

  it("refuses to look for what any text could hold by chance", () => {
    for (const plain of ["", "hunter2", "eleven char", "aaaaaaaaaaaaaaaa", new Uint8Array(32)]) {
      assert.throws(
        () => registerSecret("a word", plain),
        /^Error: a word can't be told from other/,
      )
    }
  })
})

describe("a run of tests", { timeout: 60_000 }, () => {
  it("passes when no secret shows", async () => {
    const { code, summary } = await runPlanted("")
    assert.deepEqual(summary, ["4 passed, 0 failed"])
    assert.equal(code, 0)
  })

  it("fails when one shows, and says which and where, but not what it is", async () => {
    const { code, summary } = await runPlanted("printed,answered,logged,repeated,stored")
    const file = "test/support/canaries-planted.ts"
    const lines = summary.map((line) => line.replace(/(?<=ledger\.db in )\S+/, "…")).sort()
    assert.deepEqual(lines, [
      "4 passed, 5 failed",
      `shown: the answered passphrase (${file}), as base64 after 1, in answers (${file})`,
      `shown: the printed key (${file}), as hex, in what the tests printed`,
      `shown: the stored key (${file}), as raw, in the file ledger.db in … (${file})`,
      `shown: the token shown by countersign clients add (${file}), as raw, in stdout of countersign serve (${file})`,
      `shown: what countersign keys import is given (${file}), as hex in capitals, in stderr of countersign serve (${file})`,
    ])
    assert.equal(code, 1)
  })
})

/** Runs test/run.ts on the file that plants, and returns what it says last. */
async function runPlanted(
  places: string,
): Promise<{ readonly code: number | null; readonly summary: readonly string[] }> {
  const files = ["../run.ts", "../support/canaries-planted.ts"]
  const paths = files.map((file) => fileURLToPath(new URL(file, import.meta.url)))
  const child = spawn(process.execPath, paths, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
    // It runs no files where it believes to be one of them.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, PLANTED: places },
  })
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const summary = (await text(child.stdout))
    .split("\n")
    .filter((line) => /^shown: |^\d+ passed/.test(line))
  return { code: await ended, summary }
}
