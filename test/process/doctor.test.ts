import assert from "node:assert/strict"
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { liveChecks, type LiveCheck, type LiveLine } from "../../src/commands/doctor/finding.ts"
import {
  countersign,
  makePassphraseFileInstallation,
  passphrase,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Finding = {
  readonly check: string
  readonly state: "ok" | "warn" | "fail"
  readonly message: string
  readonly fix: string | null
}
/** A test stores nothing in the keychain of whoever runs it. */
process.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"

type Answer = { readonly ok: boolean; readonly findings: readonly Finding[] }

describe("countersign doctor", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let venue: Served
  before(async () => {
    venue = await sandbox()
    installation = await makePassphraseFileInstallation([
      "--venue",
      "sandbox",
      "--upstream",
      venue.url,
    ])
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    // Whoever uses the usual port on this machine is none of this test's business.
    appendFileSync(place("countersign.yaml"), "listen: {port: 0}\n")
  })
  after(async () => {
    await killAllNaming(installation.home)
    await venue.stop()
    await installation.remove()
  })

  const place = (name: string) => join(installation.dir, name)

  /** What doctor finds. It never tells a secret, its exit code says whether anything fails, and all but ok has a fix. */
  async function doctor(dir = installation.dir): Promise<readonly Finding[]> {
    const ended = await countersign(["doctor", "--dir", dir, "--json"])
    assert.equal(ended.stderr, "")
    assert.equal(ended.stdout.includes(passphrase), false)
    const { ok, findings } = JSON.parse(ended.stdout) as Answer
    assert.equal(ok, !findings.some(({ state }) => state === "fail"))
    assert.equal(ended.code, ok ? 0 : 1)
    for (const { state, message, fix } of findings) {
      assert.match(message, /^\S[^]*\S$/)
      assert.equal(fix === null, state === "ok", message)
    }
    return findings
  }

  const failing = (findings: readonly Finding[]) =>
    findings.filter(({ state }) => state === "fail").map(({ check }) => check)

  it("finds nothing that fails in an installation whose daemon is stopped", async () => {
    const found = await doctor()
    assert.deepEqual(failing(found), [])
    assert.deepEqual(
      [...new Set(found.map(({ check }) => check))],
      [
        ...["node", "files", "permissions", "disk", "clock", "ledger", "policy", "keys"],
        ...["keychain", "curve", "upstream", "daemon"],
      ],
    )
    assertSaid(found, "keys", /The keystore opens, and holds 2 keys/)
    assertSaid(found, "ledger", /It opens/)
    assertSaid(found, "upstream", /takes connections/)
    assertSaid(found, "policy", /agent key mm/)
    assertSaid(found, "daemon", /No daemon runs here/)
    assert.equal(found.at(-1)?.fix, `countersign serve --dir ${installation.dir}`)
  })

  it("says the same for people, with what fixes it, and leaves nothing behind", async () => {
    const words = ["doctor", "--dir", installation.dir]
    const { stdout, stderr, code } = await countersign(words)
    assert.deepEqual([stderr, code], ["", 0])
    assert.match(stdout, /^ok {4}node {9}Node \d/m)
    assert.match(stdout, /^warn {2}daemon .*\n +fix: countersign serve --dir /m)
    assert.match(stdout, /\n\n0 failed, \d to look at\.\n$/)
    assert.equal(stdout.includes(passphrase), false)
    assert.deepEqual(
      readdirSync(installation.dir).filter((name) => name.startsWith(".")),
      [],
    )
  })

  it("asks the daemon where it runs, and finds its sockets closed to others", async () => {
    const daemon = await serve(installation.dir)
    const found = await doctor()
    assert.deepEqual(failing(found), [])
    const messages = found.map(({ message }) => message).join("\n")
    assert.match(messages, /It runs \(pid \d+\)\..*\nIt signs what policies allow\./)
    assert.match(messages, /The daemon has it open: \d+ records/)
    assert.match(messages, /The daemon has its keys from the keystore: 2\./)

    chmodSync(place("admin.secret"), 0o640)
    const open = await doctor()
    assert.deepEqual(failing(open), ["permissions", "ledger", "daemon"])
    assert.ok(open.some(({ fix }) => fix === `chmod 600 ${place("admin.secret")}`))
    chmodSync(place("admin.secret"), 0o600)
    await daemon.stop()
  })

  describe("--live", () => {
    const live = async () => {
      const ended = await countersign(["doctor", "--live", "--dir", installation.dir, "--json"])
      assert.deepEqual([ended.stderr, ended.code], ["", 1])
      const { ok, findings } = JSON.parse(ended.stdout) as { ok: boolean; findings: LiveLine[] }
      assert.equal(ok, false)
      return new Map(findings.map((each) => [each.check, each]))
    }

    it("knows nothing that only a daemon tells, and says how to start it", async () => {
      const found = await live()
      assert.deepEqual([...found.keys()], liveChecks)
      assert.equal(found.get("daemon")?.fix, `countersign serve --dir ${installation.dir}`)
      for (const check of ["base_url", "agents", "backup"] as const) {
        assert.equal(found.get(check)?.state, "unknown")
      }
    })

    it("asks the daemon for what is in force, and never takes countersign serve for live", async () => {
      const daemon = await serve(installation.dir)
      const found = await live()
      await daemon.stop()
      const stateOf = (check: LiveCheck) => [check, found.get(check)?.state]
      assert.deepEqual(
        liveChecks.filter((check) => check !== "clock" && found.get(check)?.state === "ok"),
        ["daemon", "doctor", "cancels", "symbols"],
      )
      assert.deepEqual(stateOf("units"), ["units", "missing"])
      assert.deepEqual(stateOf("versions"), ["versions", "unknown"]) // its port isn't in countersign.yaml
      assert.deepEqual(stateOf("agents"), ["agents", "unknown"])
      assert.deepEqual(stateOf("base_url"), ["base_url", "missing"]) // it is the sandbox's network
      assert.deepEqual(stateOf("prices"), ["prices", "unknown"]) // they are venue.yaml's
      assert.equal(
        found.get("alarms")?.fix?.endsWith(`countersign policy reload --dir ${installation.dir}`),
        true,
      )
    })

    it("says the same for people", async () => {
      const { stdout, code } = await countersign(["doctor", "--live", "--dir", installation.dir])
      assert.equal(code, 1)
      assert.match(
        stdout,
        /^missing {2}units {6}This isn't the services' .*\n +fix: countersign install-service$/m,
      )
      assert.match(stdout, /\n\n2 missing, 10 not known\.\n$/)
    })
  })

  const broken: readonly (readonly [string, readonly string[], RegExp, () => () => void])[] = [
    [
      "a policy that isn't YAML",
      ["files"],
      /edit it, then run: countersign policy check/,
      () => {
        writeFileSync(place("policies/bad.yaml"), "policy: [", { mode: 0o600 })
        return () => rmSync(place("policies/bad.yaml"))
      },
    ],
    [
      "a countersign.yaml with a key that there isn't",
      ["files"],
      /countersign policy check/,
      () => {
        const text = readFileSync(place("countersign.yaml"))
        writeFileSync(place("countersign.yaml"), `${text.toString()}nonsense: 1\n`)
        return () => writeFileSync(place("countersign.yaml"), text)
      },
    ],
    [
      "no countersign.yaml",
      ["files"],
      /countersign init --dir/,
      () => {
        renameSync(place("countersign.yaml"), place("away"))
        return () => renameSync(place("away"), place("countersign.yaml"))
      },
    ],
    [
      "policies that others can change",
      ["files", "permissions"],
      /chmod go-w /,
      () => {
        chmodSync(place("policies"), 0o777)
        return () => chmodSync(place("policies"), 0o700)
      },
    ],
    [
      "a keystore that others can read",
      ["permissions", "keys"],
      /chmod 600 /,
      () => {
        chmodSync(place("keystore/master.json"), 0o644)
        return () => chmodSync(place("keystore/master.json"), 0o600)
      },
    ],
    [
      "a ledger that is a symlink",
      ["permissions", "ledger"],
      /cp --remove-destination /,
      () => {
        renameSync(place("ledger.db"), place("elsewhere.db"))
        symlinkSync(place("elsewhere.db"), place("ledger.db"))
        return () => renameSync(place("elsewhere.db"), place("ledger.db"))
      },
    ],
    [
      "another passphrase",
      ["keys"],
      /countersign doctor --dir/,
      () => {
        writeFileSync(installation.passphraseFile, "hunter2")
        return () => writeFileSync(installation.passphraseFile, passphrase)
      },
    ],
  ]
  for (const [what, checks, fixes, spoil] of broken) {
    it(`finds ${what}, and goes on looking`, async () => {
      const fix = spoil()
      try {
        const found = await doctor()
        assert.deepEqual([...new Set(failing(found))].sort(), [...checks].sort())
        assert.ok(found.some(({ state, fix: how }) => state === "fail" && fixes.test(how ?? "")))
        assert.equal(JSON.stringify(found).includes("hunter2"), false)
      } finally {
        fix()
      }
    })
  }

  it("finds a venue that nobody answers for", async () => {
    await venue.stop()
    const found = await doctor()
    assert.deepEqual(failing(found), ["upstream"])
    assert.match(found.find(({ check }) => check === "upstream")?.fix ?? "", /countersign sandbox/)
  })

  it("finds that there is no installation at all, and makes nothing", async () => {
    const dir = join(installation.home, "none")
    assert.deepEqual(failing(await doctor(dir)), ["files", "disk"])
    mkdirSync(dir, { mode: 0o700 })
    assert.deepEqual(failing(await doctor(dir)), ["files"])
  })
})

function assertSaid(findings: readonly Finding[], check: string, says: RegExp): void {
  const [found] = findings.filter((each) => each.check === check)
  assert.match(found?.message ?? "", says)
}
