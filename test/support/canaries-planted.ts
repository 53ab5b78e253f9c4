// A test file for a run of its own: it shows secrets where PLANTED says so, and else keeps them.

import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"

import { keepFiles, keepOutput, registerSecret } from "./canaries.ts"
import { keepPrinted, registerGiven } from "./canaries-of-commands.ts"

const places = (process.env["PLANTED"] ?? "").split(",")
const textFor = (place: string, secret: string): string => (places.includes(place) ? secret : "…")

it("prints a key", () => {
  const key = randomBytes(32)
  registerSecret("the printed key", key)
  console.log(`0x${textFor("printed", key.toString("hex"))}`)
})

it("is answered a passphrase", () => {
  const passphrase = randomBytes(9).toString("base64url")
  registerSecret("the answered passphrase", passphrase)
  keepOutput("answers", "[")
  const quoted = Buffer.from(`{"given":"${textFor("answered", passphrase)}"}`).toString("base64")
  keepOutput("answers", `"${quoted.slice(0, 20)}`)
  keepOutput("answers", `${quoted.slice(20)}"]`)
})

it("gives a command keys and has it print a token", () => {
  const [key, token] = [randomBytes(32), `cs_${randomBytes(32).toString("base64url")}`]
  registerGiven(["keys", "import", "--name", "main"], `0x${key.toString("hex")}\n`)
  keepPrinted(["clients", "add", "bot"], { stdout: `${token}\n`, stderr: "" })
  const stderr = textFor("logged", key.toString("hex").toUpperCase())
  keepPrinted(["serve", "--dir", "d"], { stdout: textFor("repeated", token), stderr })
})

it("leaves files", () => {
  const directory = mkdtempSync(join(tmpdir(), "cs-planted-"))
  const key = randomBytes(32)
  registerSecret("the stored key", key)
  writeFileSync(join(directory, "admin.secret"), key) // which is there for it
  writeFileSync(join(directory, "ledger.db"), places.includes("stored") ? key : randomBytes(32))
  keepFiles(directory)
  rmSync(directory, { recursive: true })
})
