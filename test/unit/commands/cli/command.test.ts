import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { InvalidArgumentError, type Command as Reader } from "commander"

import {
  command,
  type Command,
  type Task,
  argument,
  choice,
  flag,
  option,
  optionalArgument,
  parsed,
  repeated,
  required,
  withDefault,
  type Takes,
} from "../../../../src/commands/cli/command.ts"
import {
  adminCommand,
  installationCommand,
  installationOptions,
} from "../../../../src/commands/installation/installation-command.ts"
import { examplesIn, helpOf } from "../../../support/command-tree.ts"
import { memoryKeyboard, memoryTerminal } from "../../../support/memory-terminal.ts"
import { enter } from "../../../support/typist.ts"

/** What a command line asks for. @throws commander's error when it isn't understood. */
function taskOf(made: Command, words: readonly string[]): Task {
  const tasks: Task[] = []
  const reader = made.reader("verb", (task) => {
    tasks.push(task)
    return Promise.resolve()
  })
  silent(reader).parse(words, { from: "user" })
  const [task] = tasks
  assert.ok(task !== undefined)
  return task
}

function silent(reader: Reader): Reader {
  return reader.exitOverride().configureOutput({ writeErr: () => undefined })
}

/** The options that a command is given for its words. */
async function given<Options extends object>(
  options: Takes<Options>,
  words: readonly string[],
): Promise<Options> {
  const seen: Options[] = []
  const made = command<Options>({
    description: "",
    examples: [],
    options,
    run: (each) => {
      seen.push(each)
      return Promise.resolve(0)
    },
  })
  await taskOf(made, words).run(memoryTerminal().terminal)
  const [first] = seen
  assert.ok(first !== undefined)
  return first
}

const noWhole = { name: "Fault", code: "usage", message: "--count takes a whole number." }

function whole(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}

function vowel(text: string): string {
  if ("aeiou".includes(text)) return text
  throw new InvalidArgumentError("Vowels alone.")
}

const takes = {
  name: argument("<name>", "a name"),
  other: optionalArgument("[other]", "another"),
  yes: flag("--yes", "don't ask"),
  cancels: flag("--no-cancels", "not even those"),
  to: option("--to <file>", "a file"),
  role: required(choice("--role <role>", "a role", ["wallet", "agent"])),
  since: withDefault(option("--since <when>", "a time"), "7d"),
  count: parsed(option("-n, --count <n>", "a number"), whole, "a whole number"),
  letters: repeated("--letter <letter>", "a vowel, once for each", vowel),
  files: repeated("--file <file...>", "files", (text) => text),
}

describe("the words of a command", () => {
  it("are values under the names that it has for them", async () => {
    const words = "a b --yes --no-cancels --to f --role agent --since 1d -n 3 --letter e --letter a"
    assert.deepEqual(await given(takes, [...words.split(" "), "--file", "x", "y"]), {
      name: "a",
      other: "b",
      yes: true,
      cancels: false,
      to: "f",
      role: "agent",
      since: "1d",
      count: 3,
      letters: ["e", "a"],
      files: ["x", "y"],
    })
  })

  it("are what their declarations say where they aren't given", async () => {
    assert.deepEqual(await given(takes, ["a", "--role", "wallet"]), {
      name: "a",
      other: undefined,
      yes: false,
      cancels: true,
      to: undefined,
      role: "wallet",
      since: "7d",
      count: undefined,
      letters: [],
      files: [],
    })
  })

  for (const [what, words] of [
    ["an argument that isn't there", ["--role", "agent"]],
    ["an option that has to be given", ["a"]],
    ["another word than the few that there are", ["a", "--role", "boss"]],
    ["a value that can't be parsed", ["a", "--role", "agent", "--letter", "x"]],
    ["an option that there isn't", ["a", "--role", "agent", "--rle", "agent"]],
  ] as const) {
    it(`aren't understood with ${what}`, () => {
      const made = command({
        description: "",
        examples: [],
        options: takes,
        run: () => Promise.resolve(0),
      })
      assert.throws(() => taskOf(made, words), { name: "CommanderError" })
    })
  }

  it("are parsed before it begins", async () => {
    let hasBegun = false
    const made = command({
      description: "",
      examples: [],
      options: { count: takes.count },
      run: () => {
        hasBegun = true
        return Promise.resolve(0)
      },
    })
    await assert.rejects(taskOf(made, ["-n", "some"]).run(memoryTerminal().terminal), noWhole)
    assert.equal(hasBegun, false)
  })
})

describe("the help of a command", () => {
  it("has its notes and its examples below its options", () => {
    const made = command({
      description: "does it",
      notes: "\nMind the gap.",
      examples: ["countersign verb --yes"],
      options: { yes: takes.yes },
      run: () => Promise.resolve(0),
    })
    const help = helpOf(made.reader("verb", () => Promise.resolve()))
    assert.match(help, /^Usage: verb \[options\]\n\ndoes it\n\nOptions:\n {2}--yes /)
    assert.match(help, /\n\nMind the gap\.\n\nExamples:\n/)
    assert.deepEqual(examplesIn(help), ["countersign verb --yes"])
  })
})

describe("a command that works on an installation", () => {
  const made = installationCommand({
    description: "",
    examples: [],
    options: { fail: flag("--fail", "fails") },
    answer: ({ configDir }, { fail }) => Promise.resolve({ configDir, ok: !fail }),
    json: ({ ok }) => ({ ok }),
    print: ({ configDir, ok }) => [`${configDir}: ${ok ? "well" : "ill"}`],
    exitCode: ({ ok }) => (ok ? 0 : 1),
  })

  async function ended(...words: readonly string[]) {
    const { terminal, stdout } = memoryTerminal()
    return [await taskOf(made, ["--dir", "/i", ...words]).run(terminal), stdout()]
  }

  it("prints its answer for people, and its exit code is what the answer earns", async () => {
    assert.deepEqual(await ended(), [0, "/i: well\n"])
    assert.deepEqual(await ended("--fail"), [1, "/i: ill\n"])
  })

  it("prints it as JSON for scripts", async () => {
    assert.deepEqual(await ended("--json"), [0, `{"ok":true}\n`])
    assert.deepEqual(await ended("--json", "--fail"), [1, `{"ok":false}\n`])
    assert.equal(taskOf(made, ["--json"]).isForScripts, true)
    assert.equal(taskOf(made, []).isForScripts, false)
  })

  it("takes the options that name one", () => {
    const reader = made.reader("verb", () => Promise.resolve())
    const flags = reader.options.map(({ long }) => long)
    const naming = Object.keys(installationOptions).length
    assert.deepEqual(flags, ["--fail", "--dir", "--config-dir", "--state-dir", "--json"])
    assert.equal(flags.length, naming + 2)
  })
})

describe("a command that asks the vault", () => {
  const about = { description: "", examples: [], print: () => [] }
  const burn = adminCommand({
    ...about,
    options: { name: argument("<name>", "what burns") },
    keys: "needed",
    question: ({ name }) => `Burn ${name}?`,
    call: () => assert.fail("there is no vault"),
  })
  const words = ["it", "--dir", "/nowhere"]
  const asked = { code: "usage", message: /^There is no terminal to ask on; .* --yes\.$/ }
  const opened = { code: "not_initialised" }

  it("asks first about what can't be undone, and needs a terminal for that", async () => {
    await assert.rejects(taskOf(burn, words).run(memoryTerminal().terminal), asked)
  })

  it("goes on where a person agrees, and nowhere else", async () => {
    const answered = (keys: string) =>
      taskOf(burn, words).run(memoryKeyboard([{ after: "Burn it?", keys }]).terminal)
    await assert.rejects(answered("y"), opened)
    await assert.rejects(answered("n"), { code: "cancelled" })
    await assert.rejects(answered(enter), { code: "cancelled" })
  })

  it("asks nothing where --yes agrees", async () => {
    await assert.rejects(taskOf(burn, [...words, "--yes"]).run(memoryTerminal().terminal), opened)
  })

  it("takes --yes and --passphrase-file where it has use for them, and nowhere else", () => {
    const plain = adminCommand({ ...about, call: () => Promise.resolve(0) })
    const flagsOf = (made: Command) =>
      made.reader("verb", () => Promise.resolve()).options.map(({ long }) => long)
    const common = ["--dir", "--config-dir", "--state-dir", "--json"]
    assert.deepEqual(flagsOf(plain), common)
    assert.deepEqual(flagsOf(burn), ["--yes", "--passphrase-file", ...common])
  })
})
