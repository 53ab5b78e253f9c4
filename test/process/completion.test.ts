import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { countersign } from "../support/countersign.ts"
import { countersign as commandLine } from "../../src/commands/countersign.ts"
import { leavesOf } from "../support/command-tree.ts"
import { needs } from "../support/needs.ts"

/** Sets what bash would at a <TAB>, calls the function that the script registered, and prints its answer. */
const press = `
source "$1"; shift
[[ $(complete -p countersign) == "complete -F _countersign countersign" ]] || exit 9
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_countersign
printf '%s\\n' "\${COMPREPLY[@]}"
`

const program = await commandLine()
const withBash = { timeout: 120_000, ...needs("bash", "sudo apt-get install bash") }

describe("countersign completion bash, in a real bash", withBash, () => {
  const directory = mkdtempSync(join(tmpdir(), "cs-"))
  const script = join(directory, "countersign.bash")
  before(async () => {
    const { stdout, code } = await countersign(["completion", "bash"])
    assert.equal(code, 0)
    writeFileSync(script, stdout)
  })
  after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))

  /** What <TAB> offers at the end of these words, the last of which is being typed. */
  function offered(...words: readonly string[]): readonly string[] {
    const args = ["--norc", "--noprofile", "-c", press, "bash", script, "countersign", ...words]
    const { stdout, stderr, status } = spawnSync("bash", args, { cwd: directory, encoding: "utf8" })
    assert.deepEqual([status, stderr], [0, ""])
    return stdout.split("\n").filter((line) => line !== "")
  }

  it("is a script that bash can read", () => {
    const { status, stderr } = spawnSync("bash", ["-n", script], { encoding: "utf8" })
    assert.deepEqual([status, stderr], [0, ""])
  })

  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [["pol"], ["policy"]],
    [["s"], ["serve", "status", "sandbox"]],
    [["--v"], ["--version"]],
    [
      ["held", ""],
      ["list", "show", "release", "refuse"],
    ],
    [["keys", "gen"], ["generate"]],
    [["keys", "generate", "--ro"], ["--role"]],
    [
      ["keys", "generate", "--role", ""],
      ["wallet", "agent"],
    ],
    [["keys", "generate", "--role", "a"], ["agent"]],
    [
      ["keys", "generate", "--role", "="],
      ["wallet", "agent"],
    ],
    [["keys", "generate", "--role", "=", "w"], ["wallet"]],
    [["keys", "generate", "--name", ""], []],
    [["keys", "generate", "--name", "list", "--js"], ["--json"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["completion", "z"], ["zsh"]],
    [["help", "sand"], ["sandbox"]],
    [["nonsense", "keys", "gen"], ["generate"]],
    [["policy", "explain", ""], []],
    [["policy", "explain", "--cl"], ["--client"]],
    [["policy", "explain", "--dir", ""], []],
    [["xyz"], []],
  ]
  for (const [words, expected] of cases) {
    it(`offers ${expected.join(", ") || "nothing"} after: countersign ${words.join(" ")}<TAB>`, () => {
      assert.deepEqual(offered(...words).slice(0, Math.max(expected.length, 1)), expected)
    })
  }

  for (const [name, leaf] of leavesOf(program)) {
    it(`offers every option of countersign ${name}`, () => {
      const known = leaf.options.map(({ long }) => long)
      const found = offered(...name.split(" "), "--")
      assert.deepEqual([...found].sort(), [...known, "--help"].sort())
    })
  }

  it("runs nothing of what is being typed", () => {
    const trace = join(directory, "trace")
    for (const word of [
      `$(touch ${trace})`,
      `\`touch ${trace}\``,
      `';touch ${trace};'`,
      "*",
      "a b",
    ]) {
      assert.deepEqual(offered(word), [])
      assert.deepEqual(offered("keys", "generate", "--role", word), [])
      offered(word, "")
      offered("keys", word, "--")
    }
    assert.equal(existsSync(trace), false)
  })
})

describe("countersign completion", { timeout: 60_000 }, () => {
  for (const shell of ["zsh", "fish"]) {
    it(`prints a script for ${shell}`, async () => {
      const { stdout, stderr, code } = await countersign(["completion", shell])
      assert.deepEqual([code, stderr], [0, ""])
      assert.match(stdout, /countersign/)
    })
  }

  it("ends with 2 for another shell, naming those that there are", async () => {
    const { stdout, stderr, code } = await countersign(["completion", "tcsh"])
    assert.deepEqual([code, stdout], [2, ""])
    assert.match(stderr, /Allowed choices are bash, zsh, fish/)
  })
})
