import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import {
  countersign as wholeCommandLine,
  namesWithPlace as names,
} from "../../../src/commands/countersign.ts"
import { completeCommands } from "../../../src/commands/run-command.ts"
import { leavesOf } from "../../support/command-tree.ts"
import { repositoryRoot } from "../../support/markdown.ts"

const options = "--dir d"
const leaves = leavesOf(await wholeCommandLine())

describe("the commands that a text names", () => {
  for (const [text, completed] of [
    ["run countersign unlock.", "run countersign unlock --dir d."],
    ["countersign unlock brings them back", "countersign unlock --dir d brings them back"],
    ["countersign ledger accept-restore.", "countersign ledger accept-restore --dir d."],
    ["countersign held release hold_1.", "countersign held release --dir d hold_1."],
    ["countersign thaw --all", "countersign thaw --dir d --all"],
    [
      "countersign status\ncountersign doctor",
      "countersign status --dir d\ncountersign doctor --dir d",
    ],
    [
      "countersign policy check && countersign serve",
      "countersign policy check --dir d && countersign serve --dir d",
    ],
    // They stay: what works on no installation, what names one already, and what is no command.
    ["countersign sandbox --port 1", "countersign sandbox --port 1"],
    ["countersign init-service", "countersign init-service"],
    ["countersign sandbox --paper, then", "countersign sandbox --paper --dir d, then"],
    ["countersign status --json --dir e", "countersign status --json --dir e"],
    ["countersign serve --state-dir e", "countersign serve --state-dir e"],
    [
      "countersign serve --dir e, countersign lock",
      "countersign serve --dir e, countersign lock --dir d",
    ],
    ["countersign keys", "countersign keys"],
    [
      "countersign isn't here, countersign.yaml neither",
      "countersign isn't here, countersign.yaml neither",
    ],
  ] as const) {
    it(`get the installation's options: ${JSON.stringify(text)}`, () => {
      assert.equal(completeCommands(text, { names, options }), completed)
    })
  }

  it("stay as they are where no option named an installation", () => {
    assert.equal(
      completeCommands("countersign unlock", { names, options: "" }),
      "countersign unlock",
    )
  })

  it("are those that take --dir", () => {
    const taking = [...leaves].filter(([, leaf]) =>
      leaf.options.some(({ long }) => long === "--dir"),
    )
    const own = taking.map(([name]) => (name === "sandbox" ? "sandbox --paper" : name))
    assert.deepEqual([...names].sort(), own.sort())
  })

  it("are commands that there are, wherever a source names one", () => {
    const wrong = sources().flatMap(({ file, text }) =>
      [...text.matchAll(/\bcountersign ([a-z][a-z-]*)\b(?: ([a-z][a-z-]*)\b)?/g)]
        .filter(([named, first = ""]) => !prose.has(first) && !text.includes(`${named} \${`))
        .filter(([, first, second]) => !leaves.has(`${first}`) && !leaves.has(`${first} ${second}`))
        .map(([named]) => `${file}: ${named}`),
    )
    assert.deepEqual(wrong, [])
  })
})

/** What follows the program's name where no command does. */
const prose = new Set(["checkpoint", "command", "for", "mark", "removes", "showed", "stored"])

function sources(): readonly { readonly file: string; readonly text: string }[] {
  const folder = join(repositoryRoot, "src")
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }))
}
