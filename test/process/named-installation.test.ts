import assert from "node:assert/strict"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  countersignProcess,
  makeInstallation,
  type Ended,
  type TemporaryInstallation,
} from "../support/countersign.ts"

describe("the installation that a command line names", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let spaced: string
  before(async () => {
    installation = await makeInstallation()
    spaced = join(installation.home, "a trial")
  })
  after(() => installation.remove())

  const inEnvironment = (dir: string, ...words: readonly string[]): Promise<Ended> =>
    countersignProcess(words, "", { environment: { COUNTERSIGN_DIR: dir } })

  it("is COUNTERSIGN_DIR's where no --dir is given", async () => {
    const { code, stderr } = await inEnvironment(installation.dir, "freeze")
    assert.deepEqual([code, stderr], [0, `Installation: ${installation.dir}\n`])
    const other = await inEnvironment(
      join(installation.home, "none"),
      "thaw",
      "--dir",
      installation.dir,
    )
    assert.deepEqual([other.code, other.stdout], [0, "Nothing is frozen.\n"])
    const help = await countersign(["status", "--help"])
    assert.match(help.stdout, /--dir <dir> .*\(env:\s+COUNTERSIGN_DIR\)/)
  })

  it("is none that is empty, as a script's variable that isn't set", async () => {
    for (const ended of [
      await inEnvironment("", "status"),
      await countersign(["status", "--dir", ""]),
      await countersign(["status", "--state-dir", ""]),
    ]) {
      assert.equal(ended.code, 2)
      assert.match(ended.stderr, /is empty; name a directory/)
    }
  })

  it("is in each command that an answer names, as it was given", async () => {
    const made = await countersign(["init", "--dir", spaced, "--backend", "memory"])
    const next = made.stdout.split("\n").filter((line) => line.startsWith("  countersign "))
    assert.ok(next.length > 2, made.stdout)
    for (const line of next) assert.ok(line.includes(` --dir '${spaced}'`), line)
    const apart = ["--config-dir", spaced, "--state-dir", spaced]
    const { stdout } = await countersign(["keys", "list", ...apart])
    const words = `--config-dir '${spaced}' --state-dir '${spaced}'`
    assert.match(
      stdout,
      new RegExp(`countersign keys generate ${words} or countersign keys import ${words}`),
    )
    const inherited = await inEnvironment(spaced, "keys", "list")
    assert.ok(inherited.stdout.includes(`countersign keys generate --dir '${spaced}'`))
    rmSync(spaced, { recursive: true })
  })

  it("is in each command that a failure names, also for scripts", async () => {
    const empty = join(installation.home, "empty")
    mkdirSync(empty, { mode: 0o700 })
    const { stderr } = await countersign(["status", "--dir", empty])
    assert.match(stderr, new RegExp(`countersign init --dir ${empty}`))
    const { stdout } = await countersign(["status", "--dir", empty, "--json"])
    assert.match(stdout, new RegExp(`countersign init --dir ${empty}`))
  })

  it("is told on standard error by what changes it, and by nothing else", async () => {
    const told = `Installation: ${installation.dir}\n`
    for (const [words, stderr] of [
      [["keys", "generate", "--name", "main", "--role", "wallet"], told],
      [["keys", "generate", "--name", "mm", "--role", "agent", "--wallet", "main", "--json"], told],
      [["clients", "add", "bot", "--keys", "mm"], told],
      [["clients", "revoke", "bot", "--yes"], told],
      [["backup", "--to", join(installation.home, "copy.db")], told],
      [["keys", "list"], ""],
      [["policy", "check"], ""],
    ] as const) {
      const ended = await countersign([...words, "--dir", installation.dir])
      assert.deepEqual([ended.code, ended.stderr], [0, stderr], words.join(" "))
    }
  })

  it("is left out of what was recorded", async () => {
    const reason = "until countersign thaw"
    await countersign(["freeze", "--reason", reason, "--dir", installation.dir])
    const { stdout } = await countersign([
      "audit",
      "tail",
      "--kind",
      "act",
      "--json",
      "--dir",
      installation.dir,
    ])
    const last = stdout.trim().split("\n").at(-1) ?? ""
    const { row } = JSON.parse(last) as { readonly row: { readonly seq: number } }
    const shown = await countersign(["audit", "show", String(row.seq), "--dir", installation.dir])
    assert.ok(shown.stdout.includes(`"reason": "${reason}"`), shown.stdout)
  })
})
