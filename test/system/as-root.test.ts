import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { countersign as wholeCommandLine } from "../../src/commands/countersign.ts"
import { limitOrder } from "../support/bot.ts"
import { leavesOf } from "../support/command-tree.ts"
import {
  countersignProcess,
  makePassphraseFileInstallation,
  type Ended,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { lacking } from "../support/needs.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

/** A service's: nobody's name, and no user of this machine. */
const owner = 61_184

/** What every verb on an installation is given. No daemon runs, so some say that one is needed. */
const words: Readonly<Record<string, readonly string[]>> = {
  status: [],
  console: [],
  freeze: ["--reason", "a test"],
  thaw: ["--all"],
  panic: [],
  lock: [],
  unlock: [],
  backup: ["--to", "BESIDE/backup.db"],
  doctor: [],
  "keys generate": ["--name", "new", "--role", "wallet"],
  "keys import": ["--name", "other", "--role", "wallet", "--from", "PRIVATE/key.hex"],
  "keys export": [
    ...["--name", "main", "--to", "BESIDE/main.json"],
    ...["--password-file", "BESIDE/password"],
  ],
  "keys list": [],
  "keys show": ["mm"],
  "keys targets": ["mm", "--set", "0x00000000000000000000000000000000000000a1"],
  "keys remove": ["new", "--yes"],
  "agent status": [],
  "agent approve": ["mm", "--valid-days", "30"],
  "agent rotate": ["mm", "--prepare", "--valid-days", "30"],
  "agent revoke": ["mm", "--yes"],
  "agent renew": ["mm", "--valid-days", "30"],
  "clients add": ["second", "--keys", "mm"],
  "clients list": [],
  "clients set": ["second", "--allow-type-b"],
  "clients renew": ["second", "--expires-in", "30d"],
  "clients rotate": ["second", "--yes"],
  "clients revoke": ["second", "--yes"],
  "policy check": [],
  "policy explain": ["PRIVATE/order.json", "--client", "bot"],
  "policy test": ["PRIVATE/cases.yaml", "--junit", "PRIVATE/cases.xml"],
  "policy diff": [],
  "policy reload": [],
  "policy accept": [],
  "policy rollback": [],
  "policy log": [],
  "policy show": ["--client", "bot"],
  "policy replay": ["--since", "1d"],
  "limits show": [],
  "limits raise": ["daily", "--to", "1", "--for", "1m", "--reason", "a test"],
  "guards rearm": ["day", "--allow", "1", "--reason", "a test"],
  "guards anchor": ["main", "--reason", "a test", "--yes"],
  "guards flow": ["main", "out", "1", "--reason", "a test"],
  "prices set": ["BTC-PERP", "64000"],
  "prices confirm": ["BTC-PERP=64000"],
  "prices show": [],
  "held list": [],
  "held show": ["hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  "held release": ["hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  "held refuse": ["hold_01JD5H2Q8ZK3T7V9W4X6Y8N0BC"],
  "held grants": [],
  "audit tail": [],
  "audit find": ["--nonce", "1"],
  "audit show": ["1"],
  "audit verify": [],
  "audit export": ["--to", "PRIVATE/entries.jsonl"],
  "audit archive": [],
  "ledger accept-restore": [],
  "ledger host-key": [],
  "ledger move": [],
  "ledger put-back": ["--after", "1"],
  "ledger leave-out": ["--after", "1"],
  "ledger grants": [],
  "notify test": [],
  "clock accept": [],
}

/** These make an installation, or stay up: a daemon's own test has root start it. */
const others = ["init", "sandbox", "serve"]

const casesText = `clients: [bot]
keys: {mm: {role: agent}}
cases:
  - {name: a cancel, client: bot, key: mm, operation: cancelAll, body: '{}', expect: allow}
`

const isRoot = process.getuid?.() === 0

describe(
  "root, on an installation that is another user's",
  { timeout: 600_000, ...(isRoot ? {} : lacking("needs root")) },
  () => {
    let installation: TemporaryInstallation
    before(async () => {
      installation = await makePassphraseFileInstallation()
      const { home, dir } = installation
      appendFileSync(join(dir, "countersign.yaml"), `signer_dir: ${join(home, "signers")}\n`)
      await writePolicy(dir, tradingPolicy)
      await makeTradingKeys(dir)
      await addClient(dir, "bot")
      writeFileSync(join(home, "password"), "another long password", { mode: 0o600 })
      execFileSync("chown", ["-R", String(owner), home])
      mkdirSync(join(home, "root"), { mode: 0o700 })
      writeFileSync(join(home, "root/order.json"), JSON.stringify(limitOrder()), { mode: 0o600 })
      writeFileSync(join(home, "root/cases.yaml"), casesText, { mode: 0o600 })
      writeFileSync(join(home, "root/key.hex"), `${"5".repeat(64)}\n`, { mode: 0o600 })
    })
    after(() => installation.remove())

    const run = (verb: string, ...more: readonly string[]): Promise<Ended> => {
      const { home, dir } = installation
      const given = [...(words[verb] ?? []), ...more].map((word) =>
        word.replace("BESIDE", home).replace("PRIVATE", join(home, "root")),
      )
      return countersignProcess([...verb.split(" "), ...given, "--dir", dir])
    }

    it("has a case here for every verb that takes --dir", async () => {
      const verbs = [...leavesOf(await wholeCommandLine())]
        .filter(([, { options }]) => options.some(({ long }) => long === "--dir"))
        .map(([verb]) => verb)
      assert.deepEqual(
        verbs.filter((verb) => !others.includes(verb)).sort(),
        Object.keys(words).sort(),
      )
    })

    for (const verb of Object.keys(words)) {
      it(`acts as its owner in countersign ${verb}`, async () => {
        const { stdout, stderr } = await run(verb)
        assert.doesNotMatch(
          stdout.replaceAll(/^\+.*/gm, "") + stderr, // without the files that diff shows
          /another user|EACCES|can't be (?:opened|read|made)|bug/,
        )
        assert.doesNotMatch(stderr, /^error: /) // its words in this table
        assert.deepEqual(notOwned(installation.dir), [])
      })
    }

    it("keeps signers' marks in the owner's home, not in root's", async () => {
      const ofNobody = await makePassphraseFileInstallation()
      await makeTradingKeys(ofNobody.dir)
      execFileSync("chown", ["-R", "nobody", ofNobody.home])
      const environment = { HOME: ofNobody.home, XDG_STATE_HOME: "" }
      const words = ["keys", "generate", "--name", "x", "--role", "wallet", "--dir", ofNobody.dir]
      const { stderr } = await countersignProcess(words, "", { environment })
      // Debian's base-passwd: nobody's home isn't there.
      assert.match(stderr, /signers' directory \/nonexistent\//)
      await ofNobody.remove()
    })

    for (const whose of [0, owner]) {
      it(`replays by a candidate that belongs to ${whose === 0 ? "root alone" : "the owner"}`, async () => {
        const candidate = mkdtempSync(join(installation.home, "candidate-"))
        for (const part of ["countersign.yaml", "venue.yaml", "policies"]) {
          cpSync(join(installation.dir, part), join(candidate, part), { recursive: true })
        }
        execFileSync("chown", ["-R", String(whose), candidate])
        execFileSync("chmod", ["-R", "go=", candidate])
        const { code, stderr } = await run("policy replay", "--candidate", candidate)
        assert.deepEqual([code, stderr], [0, ""])
        rmSync(candidate, { recursive: true })
      })
    }
  },
)

/** What in a directory isn't its owner's. */
function notOwned(directory: string): readonly string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
  return paths.filter((path) => lstatSync(join(directory, path)).uid !== owner)
}
