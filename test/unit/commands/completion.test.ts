import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { Command, Option } from "commander"

import {
  bashScript,
  fishScript,
  zshScript,
  stepsOf,
} from "../../../src/commands/completion-scripts.ts"
import { completables } from "../../../src/commands/completion.ts"
import { countersign } from "../../../src/commands/countersign.ts"
import { leavesOf } from "../../support/command-tree.ts"

const program = await countersign()
const all = completables(program)

/** A small program with everything that needs care. */
function odd() {
  const leaf = new Command("leaf")
    .description("what's: it\\for")
    .argument("<payload>", "a file")
    .addOption(new Option("-c, --colour <name>", "its colour").choices(["red", "blue"]))
    .option("--to <file>", "a file")
    .option("--dir <dir>", "a directory")
    .option("--name <name>", "a name")
    .option("--quiet", "says nothing")
  const group = new Command("group").description("a group").addCommand(leaf)
  const hidden = new Command("hidden").description("nobody's business")
  return completables(
    new Command("countersign").addCommand(group).addCommand(hidden, { hidden: true }),
  )
}

describe("what can be completed", () => {
  it("is every command with its own words, and none that is hidden", () => {
    const leaves = [...leavesOf(program).keys()]
    const words = all.map((each) => each.words)
    for (const leaf of leaves) assert.ok(words.includes(leaf), leaf)
    assert.equal(words[0], "")
    assert.equal(new Set(words).size, words.length)
    assert.deepEqual(
      odd().map((each) => each.words),
      ["", "group", "group leaf"],
    )
    assert.deepEqual(stepsOf(odd()), [" group", "group leaf"])
  })

  it("is, of an option's value, its choices, files or directories where its placeholder says so", () => {
    const leaf = odd().at(-1)
    assert.deepEqual(leaf?.argument, { kind: "file" })
    assert.deepEqual(
      leaf.options.map(({ flags, value }) => [...flags, value?.kind]),
      [
        ["-c", "--colour", "choices"],
        ["--to", "file"],
        ["--dir", "directory"],
        ["--name", "unknown"],
        ["--quiet", undefined],
        ["-h", "--help", undefined],
      ],
    )
  })

  it("holds words alone that mean nothing else to a shell", () => {
    for (const { words, commands, options, argument } of all) {
      const values = [argument, ...options.map(({ value }) => value)]
      const choices = values.flatMap((value) => (value?.kind === "choices" ? value.choices : []))
      const flags = options.flatMap((option) => option.flags)
      const names = commands.map(({ name }) => name)
      for (const word of [...words.split(" "), ...choices, ...flags, ...names]) {
        assert.match(word, /^[\w.+-]*$/)
      }
    }
  })
})

describe("the script for bash", () => {
  it("offers each kind of value as it is", () => {
    const script = bashScript(odd())
    assert.match(script, /^ +-c \| --colour\) words='red blue' ;;$/m)
    assert.match(script, /^ +--to\) files=default ;;$/m)
    assert.match(script, /^ +--dir\) files=dirnames ;;$/m)
    assert.match(script, /^ +--name\) ;;$/m)
    assert.match(script, /^ +\*\) flags='-c --colour .* --quiet -h --help' files=default ;;$/m)
  })
})

describe("the script for zsh", () => {
  const script = zshScript(all)

  it("names itself as completion of countersign, from $fpath and when it is sourced", () => {
    assert.match(script, /^#compdef countersign\n/)
    assert.match(script, /^ {2}compdef _countersign countersign$/m)
  })

  it("has a case for every command, with every option and what it is for", () => {
    for (const { words, options } of all) {
      const [, block = ""] = script.split(`    ('${words}')\n`)
      const [own = ""] = block.split("esac ;;")
      for (const { flags, value } of options) {
        for (const flag of flags) assert.ok(own.includes(`'${flag}:`), `${words} ${flag}`)
        assert.equal(own.includes(`(${flags.join("|")}) `), value !== undefined)
      }
    }
  })

  it("quotes what could end a word, and offers each kind of value as it is", () => {
    const text = zshScript(odd())
    assert.ok(text.includes(String.raw`'leaf:what'\''s: it\for'`))
    assert.match(text, /^ +\(-c\|--colour\) compadd -- 'red' 'blue' ;;$/m)
    assert.match(text, /^ +\(--to\) _files ;;$/m)
    assert.match(text, /^ +\(--dir\) _files -\/ ;;$/m)
    assert.match(text, /^ +\(--name\) ;;$/m)
    assert.match(text, /^ +\(\*\) flags_offered=\(.*\); _files ;;$/m)
  })

  it("uses no name that zsh keeps for itself", () => {
    const locals = [...script.matchAll(/^ +local (?:-a )?(.*)$/gm)].map(([, names = ""]) => names)
    assert.ok(locals.length > 0)
    for (const name of ["path", "commands", "options", "words", "status", "functions", "argv"]) {
      for (const names of locals) assert.doesNotMatch(names, new RegExp(`\\b${name}\\b(?!\\[)=?`))
    }
  })

  assertBalanced("zsh", script)
})

describe("the script for fish", () => {
  const script = fishScript(all)

  it("has a line for every command and every option, under the words that lead to it", () => {
    const lines = script.split("\n")
    for (const { words, commands, options } of all) {
      const start = `complete -c countersign -n '${`__countersign_at ${words}`.trim()}' `
      const own = lines.filter((line) => line.startsWith(start))
      for (const { name } of commands) {
        assert.ok(
          own.some((line) => line.includes(` -a '${name}' `)),
          `${words} ${name}`,
        )
      }
      for (const { flags, value } of options) {
        const long = flags.at(-1)?.replace(/^--/, "") ?? ""
        const line = own.find((each) => each.includes(` -l ${long} `))
        assert.ok(line !== undefined, `${words} ${long}`)
        assert.equal(/ -[rx] /.test(line), value !== undefined)
      }
    }
  })

  it("quotes what could end a word, and offers each kind of value as it is", () => {
    const text = fishScript(odd())
    assert.ok(text.includes(String.raw`-a 'leaf' -d 'what\'s: it\\for'`))
    assert.match(text, / -s c -l colour -x -a 'red blue' -d 'its colour'$/m)
    assert.match(text, / -l to -r -F -d 'a file'$/m)
    assert.match(text, / -l dir -x -a '\(__fish_complete_directories\)' -d/)
    assert.match(text, / -l name -x -d 'a name'$/m)
    assert.match(text, /^complete -c countersign -n '__countersign_at group leaf' -F$/m)
  })

  assertBalanced("fish", script)
})

/** Where no such shell is installed to ask: every quote that is opened is closed on its line. */
function assertBalanced(shell: "zsh" | "fish", script: string): void {
  it("closes every quote and bracket that it opens", () => {
    const quoted = shell === "zsh" ? /'[^']*'|\\'|"[^"]*"/g : /'(?:\\.|[^\\'])*'|"[^"]*"/g
    for (const line of script.split("\n").filter((each) => !each.trim().startsWith("#"))) {
      assert.doesNotMatch(line.replaceAll(quoted, ""), /['"]/, line)
    }
    const bare = script.replaceAll(/^\s*#.*$/gm, "").replaceAll(quoted, "")
    assert.equal(bare.split("(").length, bare.split(")").length)
    assert.equal(bare.split("{").length, bare.split("}").length)
  })
}
