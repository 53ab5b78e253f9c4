import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { after, before, describe, it } from "node:test"

import { mostTenths } from "../../src/commands/doctor/live/machine-lines.ts"
import { setUp } from "../../src/commands/service/install-steps.ts"
import {
  fencedBlocks,
  readRepositoryFile,
  repositoryRoot,
  sectionOf,
  tableRows,
} from "../support/markdown.ts"
import { needs } from "../support/needs.ts"

const folder = join(repositoryRoot, "systemd")
const units = readdirSync(folder).filter((name) => /\.(?:service|socket|target|timer)$/.test(name))
const unitPlace = "etc/systemd/system"

// What a unit names of the machine, as far as systemd looks whether it is there.
const programs = [
  "usr/lib/countersign/node",
  "usr/lib/countersign/systemd/launch",
  "usr/lib/countersign/systemd/secret-service/run.sh",
  "usr/bin/perl",
]
const targets = [
  "sysinit",
  "basic",
  "sockets",
  "shutdown",
  "network",
  "multi-user",
  "timers",
  "time-set",
  "time-sync",
]

const vault = "countersign-vault.service"
const gate = "countersign-gate.service"
const relay = "countersign-relay.service"

/** Tenths of systemd's figure. */
const most = { ...mostTenths, "countersign-archive.service": 3 }

const dropIns: Readonly<Record<string, string>> = {
  "drop-ins/vault-strict-wx.conf": vault,
  "drop-ins/vault-tpm2.conf": vault,
  "drop-ins/gate-egress.conf": gate,
  "drop-ins/relay-egress.conf": relay,
  "drop-ins/relay-credential.conf": relay,
  "secret-service/countersign-secret-service.conf": vault,
}

const { skip } = needs("systemd-analyze", "apt-get install systemd")

describe("the credential that the vault's keys are opened by", () => {
  it("is named by headless.md as lost with systemd's own key, in the row of the status that tells", () => {
    const rows = tableRows(readRepositoryFile("docs/headless.md"))
    const row = rows.find(([status]) => status?.includes("243/CREDENTIALS"))
    assert.match(row?.join(" ") ?? "", /`\/var\/lib\/systemd\/credential\.secret` is lost/)
  })

  it("isn't loaded anew by a reload: the vault's unit has one ExecReload at most, and says why", () => {
    const lines = readRepositoryFile(`systemd/${vault}`).split("\n")
    const reloads = lines.flatMap((line, index) => (line.startsWith("ExecReload=") ? [index] : []))
    assert.equal(reloads.length, 1)
    const comment = lines.slice(0, reloads[0]).toReversed()
    const end = comment.findIndex((line) => !line.startsWith("#"))
    assert.match(comment.slice(0, end).join(" "), /One at most/)
  })
})

describe("the units", { ...(skip === undefined ? {} : { skip }) }, () => {
  let tree: string
  before(() => {
    tree = mkdtempSync(join(tmpdir(), "cs-units-"))
    for (const path of programs) write(path, "", 0o755)
    for (const name of targets) write(`usr/lib/systemd/system/${name}.target`, "[Unit]\n")
    for (const name of units) write(`${unitPlace}/${name}`, readRepositoryFile(`systemd/${name}`))
  })
  after(() => rmSync(tree, { recursive: true }))

  function write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text, { mode })
  }

  function analyze(...args: readonly string[]) {
    const [verb = "", ...rest] = args
    const command = [verb, `--root=${tree}`, "--no-pager", ...rest]
    return spawnSync("systemd-analyze", command, { encoding: "utf8", timeout: 60_000 })
  }

  function withDropIn<Result>(file: string, use: (unit: string) => Result): Result {
    const unit = dropIns[file] ?? assert.fail(file)
    const place = join(tree, unitPlace, `${unit}.d`)
    mkdirSync(place)
    copyFileSync(join(folder, file), join(place, basename(file)))
    try {
      return use(unit)
    } finally {
      rmSync(place, { recursive: true })
    }
  }

  // systemd-analyze ends with 0 for a key that it doesn't know and a value that it can't read.
  it("hold nothing that systemd warns of", () => {
    const { status, stdout, stderr } = analyze("verify", ...units)
    assert.deepEqual({ status, said: stdout + stderr }, { status: 0, said: "" })
  })

  it("would be warned of for a key that systemd doesn't know", () => {
    write(`${unitPlace}/${vault}.d/wrong.conf`, "[Service]\nProtectEverything=yes\n")
    const { stderr } = analyze("verify", vault)
    rmSync(join(tree, unitPlace, `${vault}.d`), { recursive: true })
    assert.match(stderr, /Unknown key/)
  })

  for (const [unit, tenths] of Object.entries(most)) {
    it(`expose ${unit} by ${tenths / 10} at most, without being run`, () => {
      const { status, stdout } = exposure(unit)
      assert.equal(status, 0, stdout)
    })
  }

  for (const file of Object.keys(dropIns)) {
    it(`hold nothing that systemd warns of with ${file}, and stay within the exposure`, () => {
      withDropIn(file, (unit) => {
        const { status, stdout, stderr } = analyze("verify", unit)
        assert.deepEqual({ status, said: stdout + stderr }, { status: 0, said: "" })
        const exposed = exposure(unit)
        assert.equal(exposed.status, 0, exposed.stdout)
      })
    })
  }

  function exposure(unit: string) {
    const [, tenths] = Object.entries(most).find(([name]) => name === unit) ?? []
    const threshold = `--threshold=${tenths ?? assert.fail(unit)}`
    return analyze("security", "--offline=true", threshold, unit)
  }
})

describe("the journal", () => {
  for (const name of units.filter((each) => each.endsWith(".service"))) {
    it(`has lines under the name of ${name}, not of the launcher`, () => {
      const settings = readRepositoryFile(`systemd/${name}`).split("\n")
      assert.ok(settings.includes(`SyslogIdentifier=${basename(name, ".service")}`))
    })
  }
})

describe("a drop-in that gives the vault another command", () => {
  const own = startOf(vault)

  it("changes nothing but --jitless for the strictest memory", () => {
    const words = startOf("drop-ins/vault-strict-wx.conf")
    assert.deepEqual(without(words, "--jitless"), own)
  })

  it("changes nothing but what a keychain of its own takes", () => {
    const words = startOf("secret-service/countersign-secret-service.conf")
    const added = ["/usr/lib/countersign/systemd/secret-service/run.sh", "--allow-child-process"]
    const credential = "--allow-fs-read=%d/countersign-key"
    assert.deepEqual(
      without(words, ...added).with(1, own[1] ?? ""),
      own.filter((word) => word !== credential),
    )
    assert.equal(words[1], "--denied=connect,write")
  })
})

describe("systemd/README.md", () => {
  it("names every file of the folder in its table", () => {
    const named = tableRows(readRepositoryFile("systemd/README.md"))
      .flatMap(([cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)])
      .map(([, name]) => name)
    const there = readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    )
    for (const name of there) {
      if (name !== "README.md") assert.ok(named.includes(name), name)
    }
  })

  it("runs by hand what install-service and the Debian package run", () => {
    const [lines = ""] = fencedBlocks(
      sectionOf(readRepositoryFile("systemd/README.md"), "By hand"),
      "sh",
    )
    const commands = setUp.map(({ words }) => words.join(" "))
    assert.deepEqual(lines.trim().split("\n").slice(-commands.length), commands)
  })

  it("has a paragraph on each drop-in", () => {
    const text = readRepositoryFile("systemd/README.md")
    for (const name of readdirSync(join(folder, "drop-ins"))) {
      assert.match(text, new RegExp(`^\\*\\*\`drop-ins/${RegExp.escape(name)}\`\\*\\*`, "m"))
    }
  })
})

/** The words of the command that a file under systemd/ starts. */
function startOf(file: string): readonly string[] {
  const [line = ""] =
    /^ExecStart=[^\n](?:.*\\\n)*.*$/m.exec(readRepositoryFile(`systemd/${file}`)) ?? []
  return line.replace("ExecStart=", "").split(/[\s\\]+/)
}

function without(words: readonly string[], ...some: readonly string[]): readonly string[] {
  for (const word of some) assert.ok(words.includes(word), word)
  return words.filter((word) => !some.includes(word))
}
