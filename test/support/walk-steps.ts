import assert from "node:assert/strict"

import { fencedBlocks, readRepositoryFile, sectionOf } from "./markdown.ts"

export type TerminalName = "venue" | "daemon" | "bot"

/** A part of the walk: what is typed in one terminal, one command after the other. */
export type WalkPart = {
  readonly title: string
  readonly says: string
  readonly terminal: TerminalName
  readonly commands: readonly string[]
}

/** What the README says to leave away where the passphrase is typed. */
const leftAway = " --backend keystore --passphrase-file passphrase"

/** The parts of the walk. All that is typed are the README's words. */
export function walkParts(readme = readRepositoryFile("README.md")): readonly WalkPart[] {
  const words = readmeCommands(readme)
  const [pick, picked] = picking(words)
  const shell = [pick("checkout=$PWD"), pick("countersign() {"), pick("export COUNTERSIGN_DIR=")]
  const parts = [venue(shell, pick), ...daemon(shell, pick), ...bot(shell, pick)]
  const untyped = words.filter((each) => !picked.has(each))
  assert.deepEqual(
    untyped.map((each) => each.includes("> passphrase)")),
    [true],
    "all of the README's commands are in the walk, but the one that writes the passphrase's file",
  )
  return parts
}

/** The one command that begins with a word and has the others. */
type Pick = (beginning: string, ...others: readonly string[]) => string

function venue(shell: readonly string[], pick: Pick): WalkPart {
  return {
    title: "The venue, in a terminal of its own",
    says: "In the checkout. The sandbox plays the venue, and stays up.",
    terminal: "venue",
    commands: [...shell, pick("countersign sandbox")],
  }
}

function daemon(shell: readonly string[], pick: Pick): readonly WalkPart[] {
  const init = pick("countersign init")
  assert.ok(init.includes(leftAway))
  return [
    {
      title: "An installation, in a second terminal",
      says: "In the checkout again. No session's keychain is here, so `init` takes a keystore, says why, and asks for a new passphrase, twice.",
      terminal: "daemon",
      commands: [...shell, pick("mkdir"), init.replace(leftAway, "")],
    },
    {
      title: "Two keys and a bot",
      says: "No daemon runs yet, so what needs the keystore asks for its passphrase. The bot's token is shown this once.",
      terminal: "daemon",
      commands: [
        pick("countersign keys generate", "main", "--role wallet"),
        pick("countersign keys generate", "mm"),
        pick("countersign clients add"),
      ],
    },
    {
      title: "A rule, and the daemon",
      says: "Until a rule allows something, nothing is. The daemon stays up.",
      terminal: "daemon",
      commands: [pick("cat >"), pick("countersign policy check"), pick("countersign serve")],
    },
  ]
}

function bot(shell: readonly string[], pick: Pick): readonly WalkPart[] {
  return [
    {
      title: "A signed order, in a third terminal",
      says: "`TOKEN` is what `clients add` printed. The answer is the body of the order, signed.",
      terminal: "bot",
      commands: [...shell, pick("cd "), pick("TOKEN="), pick("curl", "/sign/v1/trade/orders")],
    },
    {
      title: "An order that is sent, and one that is refused",
      says: "The venue takes an agent's orders once its wallet has approved it. The refusal names the rule, its file and line.",
      terminal: "bot",
      commands: [
        pick("countersign agent approve"),
        pick("curl", "8420/v1/trade/orders", '"0.1"'),
        pick("curl", "8420/v1/trade/orders", '"0.6"'),
      ],
    },
    {
      title: "What there is to see",
      says: "Each line of `audit tail` is an entry of the ledger, which is a chain of hashes.",
      terminal: "bot",
      commands: [pick("countersign status"), pick("countersign audit tail")],
    },
    {
      title: "Lock and unlock",
      says: "Locked, the daemon goes on answering, and signs nothing.",
      terminal: "bot",
      commands: [pick("countersign lock"), pick("countersign unlock")],
    },
  ]
}

/** Finds commands, and keeps which were found. */
function picking(commands: readonly string[]): readonly [Pick, ReadonlySet<string>] {
  const picked = new Set<string>()
  const pick: Pick = (beginning, ...parts) => {
    const found = commands.filter(
      (each) => each.startsWith(beginning) && parts.every((part) => each.includes(part)),
    )
    const [command = ""] = found
    assert.equal(found.length, 1, `the README says once ${[beginning, ...parts].join(" … ")}`)
    picked.add(command)
    return command
  }
  return [pick, picked]
}

/** The commands of the README's first order and of what comes after it, without comments at their ends. */
function readmeCommands(readme: string): readonly string[] {
  const rest = sectionOf(readme, "The rest of the way")
  assert.ok(rest.includes(`\`${leftAway.trim()}\``), "the README says what to leave away")
  assert.ok(rest.includes("`countersign sandbox`"), "the README says how the venue is played")
  const blocks = [sectionOf(readme, "A first order"), rest].flatMap((section) =>
    fencedBlocks(section, "sh"),
  )
  return ["countersign sandbox", ...blocks.flatMap(commandsOf)]
}

/** A command goes on after a `\` at a line's end, and through the lines of a here-document. */
function commandsOf(block: string): readonly string[] {
  const whole = /^.*<<'(\w+)'\n(?:.*\n)*?\1$|^(?:.*\\\n)*.+$/gm
  return [...block.matchAll(whole)].map(([command]) => command.replace(/ {2,}# .*$/, ""))
}
