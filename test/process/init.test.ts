import assert from "node:assert/strict"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, beforeEach, describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  passphrase,
  sandbox,
  startCountersign,
  statusJson,
} from "../support/countersign.ts"
import { fingerprint } from "../support/fingerprint.ts"
import { guardedAccount } from "../support/guarded-account.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const files = [
  "",
  "countersign.yaml",
  "keystore",
  "keystore/master.json",
  "policies",
  "policies/example.yaml",
  "venue.yaml",
]

describe("countersign init", { timeout: 180_000 }, () => {
  let home: ReturnType<typeof temporaryDirectory>
  let dir: string
  let count = 0
  before(() => {
    home = temporaryDirectory()
    writeFileSync(join(home.path, "passphrase"), passphrase, { mode: 0o600 })
  })
  beforeEach(() => {
    dir = join(home.path, `d${++count}`)
  })
  after(() => home.remove())

  const inMemory = () => ["init", "--dir", dir, "--backend", "memory"]

  it("makes a private keystore installation that allows nothing, and says what comes next", async () => {
    const file = join(home.path, "passphrase")
    const ended = await countersign(["init", "--dir", dir, "--passphrase-file", file])
    assert.deepEqual([ended.code, ended.stderr], [0, ""])
    assert.match(ended.stdout, /Nothing is allowed yet\. Next:\n {2}countersign keys import --dir /)
    const made = fingerprint(dir)
    assert.deepEqual(Object.keys(made), files)
    for (const [name, print] of Object.entries(made)) assert.match(print, /^(40700|100600)/, name)
    const config = readFileSync(join(dir, "countersign.yaml"), "utf8")
    assert.match(config, new RegExp(`^  passphrase_file: "${file}"$`, "m"))
    assert.equal(config.includes(passphrase), false)
    const checked = await countersignJson<Record<string, unknown>>([
      "policy",
      "check",
      "--dir",
      dir,
    ])
    const { policy_hash: hash, ...rest } = checked
    assert.match(String(hash), /^[0-9a-f]{64}$/)
    assert.deepEqual(rest, { valid: true, policies: [], warnings: [], notes: [] })
  })

  it("prints with --json where it was made, and what venue.yaml lacks", async () => {
    const made = await countersignJson([...inMemory(), "--venue", "sandbox"])
    const why = "--backend says so."
    assert.deepEqual(made, { config_dir: dir, state_dir: dir, backend: "memory", why, missing: [] })
    dir += "m"
    const { missing } = await countersignJson<{ missing: string[] }>(inMemory())
    assert.deepEqual(
      missing.map((line) => line.split(":")[0]),
      ["base_url", "endpoints", "symbols"],
    )
  })

  it("says under the venue's lines that are missing only those, and nothing where none is", async () => {
    const venue = join(home.path, "priceless.yaml")
    writeFileSync(
      venue,
      "extends: builtin\nsymbols: [{id: 1, name: A, market: perp, quote: USD}]\n",
    )
    const url = ["--upstream", "https://venue.example"]
    const partly = await countersign([...inMemory(), "--venue", venue, ...url])
    const [, missing = ""] =
      /\nMissing in venue\.yaml, [^\n]+:\n((?: .*\n)+)/.exec(partly.stdout) ?? []
    assert.match(missing, /^ {2}endpoints: \{cancelOrder: [^\n]+\n$/)
    dir += "s"
    const whole = await countersign([...inMemory(), "--venue", "sandbox"])
    assert.doesNotMatch(whole.stdout, /Missing/)
  })

  it("ends with commands that lead to a daemon that signs, run as they are shown", async () => {
    const venue = await sandbox()
    const made = await countersign([...inMemory(), "--venue", "sandbox", "--upstream", venue.url])
    const [play, start = [], ...others] = commandsIn(made.stdout)
    assert.deepEqual([play, start.slice(0, 1)], [["sandbox"], ["serve"]])
    const daemon = await startCountersign([...start, "--port", "0"], /listening on /)
    await writePolicy(dir, tradingPolicy)
    for (const args of others.slice(0, -1)) {
      const { code, stderr } = await countersign(args)
      assert.equal(code, 0, `${args.join(" ")}: ${stderr}`)
    }
    const doctor = await countersign(others.at(-1) ?? [])
    assert.match(doctor.stdout, /^ok +signing +It signs what policies allow\.$/m)
    assert.match(doctor.stdout, /^ok +upstream /m)
    await daemon.stop()
    await venue.stop()
  })

  for (const [venue, text] of [
    ["main", /^domain: \{name: Service, version: "1", chain_id: 84256\}$/m],
    ["sandbox", /^base_url: http:\/\/127\.0\.0\.1:8421$/m],
  ] as const) {
    it(`writes the venue ${venue}`, async () => {
      await countersignJson([...inMemory(), "--venue", venue])
      assert.match(readFileSync(join(dir, "venue.yaml"), "utf8"), text)
    })
  }

  it("takes a venue.yaml as it is", async () => {
    const venue = join(home.path, "mine.yaml")
    const text = `# mine\nextends: builtin\ndomain: {chain_id: 5}\n`
    writeFileSync(venue, text)
    await countersignJson([...inMemory(), "--venue", venue])
    assert.equal(readFileSync(join(dir, "venue.yaml"), "utf8"), text)
  })

  for (const url of ["https://venue.example", "http://127.0.0.1:9000", "http://localhost:9000"]) {
    it(`takes --upstream ${url} for every kind of venue`, async () => {
      const mine = join(home.path, "no-base.yaml")
      writeFileSync(mine, "extends: builtin\n")
      for (const venue of ["main", "sandbox", mine]) {
        await countersignJson([...inMemory(), "--venue", venue, "--upstream", url])
        const written = readFileSync(join(dir, "venue.yaml"), "utf8")
        assert.match(written, new RegExp(`^base_url: "?${url}"?$`, "m"))
        dir += "x"
      }
    })
  }

  for (const [what, options, code, says] of [
    ["http to another host", ["--upstream", "http://venue.example"], 1, /base_url is http, /],
    [
      "http elsewhere for the sandbox",
      ["--venue", "sandbox", "--upstream", "http://a.example"],
      1,
      /base_url is http, /,
    ],
    [
      "credentials in the URL",
      ["--upstream", "https://u:p@venue.example"],
      1,
      /without credentials/,
    ],
    ["a venue file that isn't there", ["--venue", "none.yaml"], 2, /none\.yaml can't be read/],
    [
      "an unknown back-end",
      ["--backend", "vault"],
      2,
      /Allowed choices are keychain, keystore, memory/,
    ],
    [
      "a passphrase file that isn't there",
      ["--backend", "keystore", "--passphrase-file", "/none"],
      1,
      /\/none doesn't exist/,
    ],
    [
      "no terminal to ask for a passphrase",
      ["--backend", "keystore"],
      1,
      /name a file with --passphrase-file/,
    ],
  ] as const) {
    it(`refuses ${what} and makes nothing`, async () => {
      const ended = await countersign([...inMemory(), ...options])
      assert.equal(ended.code, code)
      assert.match(ended.stderr, says)
      assert.equal(ended.stdout, "")
      assert.equal(existsSync(dir), false)
    })
  }

  it("refuses --upstream beside a venue.yaml that has its own", async () => {
    const venue = join(home.path, "based.yaml")
    writeFileSync(venue, "base_url: https://venue.example\n")
    const more = ["--venue", venue, "--upstream", "https://other.example"]
    const ended = await countersign([...inMemory(), ...more])
    assert.equal(ended.code, 2)
    assert.match(ended.stderr, /^countersign: \/.*based\.yaml has a base_url already; [^\n]+\n$/)
    assert.equal(existsSync(dir), false)
  })

  it("refuses a broken venue.yaml with its line, and makes nothing", async () => {
    const venue = join(home.path, "broken.yaml")
    writeFileSync(venue, "extends: builtin\nendpoints:\n  cancelOrder: {action_tag: 7}\n")
    const ended = await countersign([...inMemory(), "--venue", venue])
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: .*broken\.yaml:3:17: cancelOrder can't have .* 7/)
    assert.equal(existsSync(dir), false)
  })

  it("refuses an account that the gate couldn't be read by, with its line, and makes nothing", async () => {
    const venue = join(home.path, "unsigned.yaml")
    const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
    writeFileSync(venue, text + guardedAccount.replace("signed", "unsigned"))
    const ended = await countersign([...inMemory(), "--venue", venue])
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: .*unsigned\.yaml:\d+:\d+: expected signed, or /)
    assert.equal(existsSync(dir), false)
  })

  it("refuses a second time and changes nothing", async () => {
    await countersignJson(inMemory())
    const made = fingerprint(dir)
    const again = await countersign([...inMemory(), "--json"])
    assert.equal(again.code, 1)
    const { error } = JSON.parse(again.stdout) as { error: { code: string } }
    assert.equal(error.code, "already_initialised")
    assert.deepEqual(fingerprint(dir), made)
  })

  it("takes a directory that holds the passphrase's file alone, and makes it private", async () => {
    mkdirSync(dir, { mode: 0o755 })
    const file = join(dir, "passphrase")
    writeFileSync(file, passphrase, { mode: 0o600 })
    await countersignJson(["init", "--dir", dir, "--passphrase-file", file])
    assert.deepEqual(Object.keys(fingerprint(dir)), [...files, "passphrase"].sort())
    assert.equal(fingerprint(dir)[""], "40700")
  })

  it("refuses a directory with other content that others can look into", async () => {
    mkdirSync(dir, { mode: 0o755 })
    writeFileSync(join(dir, "other"), "")
    const found = fingerprint(dir)
    const ended = await countersign(inMemory())
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: \/.* is open to others; run: chmod 700 \/[^\n]+\n$/)
    assert.deepEqual(fingerprint(dir), found)

    chmodSync(dir, 0o700)
    await countersignJson(inMemory())
    assert.ok(existsSync(join(dir, "other")))
  })

  it("refuses a directory whose path is too long for a socket", async () => {
    dir = join(dir, "x".repeat(90))
    const ended = await countersign(inMemory())
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /^countersign: \/.* is too long a path for the sockets in it; /)
    assert.equal(existsSync(dir), false)
  })

  it("removes what it made when a later step fails", async () => {
    writeFileSync(`${dir}c`, "")
    const split = ["--config-dir", `${dir}c/d`, "--state-dir", dir]
    const ended = await countersign(["init", "--backend", "memory", ...split])
    assert.equal(ended.code, 1)
    assert.match(
      ended.stderr,
      /^countersign: \/.* can't be written \(ENOTDIR\), so nothing was made; check its owner and the disk\.\n$/,
    )
    assert.equal(existsSync(dir), false)
  })

  it("splits an installation in two directories, which the other commands take", async () => {
    const split = ["--config-dir", `${dir}c`, "--state-dir", `${dir}s`]
    await countersignJson(["init", "--backend", "memory", "--venue", "sandbox", ...split])
    assert.deepEqual(readdirSync(`${dir}c`), ["countersign.yaml", "policies", "venue.yaml"])
    assert.deepEqual(readdirSync(`${dir}s`), [])
    const daemon = await startCountersign(["serve", "--port", "0", ...split], /listening on /)
    assert.equal((await statusJson<{ daemon: string }>(split)).daemon, "running")
    assert.equal(await daemon.stop(), 0)
    assert.deepEqual(readdirSync(`${dir}c`), ["countersign.yaml", "policies", "venue.yaml"])
  })

  it("takes the XDG base directories when none is named", async () => {
    const environment = { XDG_CONFIG_HOME: `${dir}/c`, XDG_STATE_HOME: `${dir}/s` }
    const init = ["init", "--backend", "memory", "--venue", "sandbox", "--json"]
    const made = await countersignProcess(init, "", { environment })
    assert.deepEqual(JSON.parse(made.stdout), {
      config_dir: `${dir}/c/countersign`,
      state_dir: `${dir}/s/countersign`,
      backend: "memory",
      why: "--backend says so.",
      missing: [],
    })
    const keys = await countersignProcess(["keys", "list", "--json"], "", { environment })
    assert.equal(keys.code, 0)
  })
})

/** The command lines that are printed to be copied, without their comments, as arguments. */
function commandsIn(printed: string): readonly (readonly string[])[] {
  return [...printed.matchAll(/^ {2}countersign (.*?)(?: {3}#.*)?$/gm)].map(([, words = ""]) =>
    words.split(" "),
  )
}
