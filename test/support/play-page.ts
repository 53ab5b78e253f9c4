import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import { parse, parseDocument } from "yaml"

import { keepOutput, registerSecret } from "./canaries.ts"
import { bin } from "./published.ts"
import { pageBlocks, type PageBlock } from "./page-blocks.ts"
import { stableText } from "./walk-page.ts"

const run = promisify(execFile)

/** Where a page is played. */
export type Stage = {
  /** The shell's directory. */
  readonly home: string
  readonly dir: string
  /** The daemon's. */
  readonly url: string
  /** Of the bot whose $TOKEN the page uses; $URL is the daemon's. */
  readonly token: string
}

/** A page whose blocks are played section by section, in the order in which they stand. */
export type PlayedPage = {
  /**
   * Plays the section under a heading: what is YAML is put into the file that its first line names, what is a
   * command is run, and what is text must have been printed by the command before it. `between` does what the
   * page says between two blocks of commands.
   *
   * @returns all that was printed. @throws when a command fails or prints something else.
   */
  play(title: string, stage: Stage, between?: () => void): Promise<string>
  /** The headings of sections that have blocks and weren't played. */
  unplayed(): readonly string[]
}

/** What a page shows in place of what only the output before it tells. */
const shownLast: readonly (readonly [placeholder: string, pattern: RegExp])[] = [
  ["cs_…", /cs_[\w-]{43}/g],
  ["rec_…", /rec_[0-9A-Z]{26}/g],
  ["hold_…", /hold_[0-9A-Z]{26}/g],
  ["--hash …", /--hash [0-9a-f]{64}/g],
]

/** Opens a page. `names` gives other names to what its commands name, where another page has used these up. */
export function openPage(text: string, names: Readonly<Record<string, string>> = {}): PlayedPage {
  const renamed = Object.entries(names).reduce(
    (page, [name, other]) => page.replaceAll(new RegExp(`\\b${name}\\b`, "g"), other),
    text,
  )
  const blocks = pageBlocks(renamed)
  const left = new Set(blocks)
  let said = ""
  return {
    play: async (title, stage, between = () => undefined) => {
      let last = ""
      let all = ""
      for (const block of blocks.filter((each) => each.title === title)) {
        left.delete(block)
        if (block.language === "sh") {
          last = await shell(actual(block.text, said, stage), stage)
          said += last
          all += last
          between()
        } else if (block.language === "yaml") await putInPlace(block.text, stage)
        else assertShown(block, last)
      }
      assert.notEqual(all, "", `${title} has a command`)
      return all
    },
    unplayed: () => [...new Set([...left].map(({ title }) => title))],
  }
}

/** A block with this run's own in place of what the page shows. */
function actual(text: string, said: string, { dir, home, url }: Stage): string {
  const placed = text
    .replaceAll("http://127.0.0.1:8420", url)
    .replaceAll(/\/(?:etc|var\/lib)\/countersign\b/g, dir)
    .replaceAll("/mnt/elsewhere", home)
  return shownLast.reduce((lines, [placeholder, pattern]) => {
    if (!lines.includes(placeholder)) return lines
    const found = said.match(pattern)?.at(-1)
    assert.ok(found !== undefined, `${placeholder} was shown before`)
    return lines.replaceAll(placeholder, found)
  }, placed)
}

/** Runs lines as a person's shell would, and returns what they print. @throws at the first that fails. */
async function shell(lines: string, { home, dir, url, token }: Stage): Promise<string> {
  const words = [process.execPath, bin].map((word) => JSON.stringify(word)).join(" ")
  const countersign = `countersign() { ${words} "$@" --dir ${JSON.stringify(dir)}; }\n`
  const options = { cwd: home, env: { ...process.env, TOKEN: token, URL: url }, timeout: 120_000 }
  const { stdout } = await run("bash", ["-euc", `exec 2>&1\n${countersign}${lines}`], options)
  keepPrinted(lines, stdout)
  // A page is about the usual installation, which nobody names, and leaves out where it is.
  return stdout.replaceAll(` --dir ${dir}`, "").replaceAll(`Installation: ${dir}\n`, "")
}

/** These alone may show a token. */
function keepPrinted(lines: string, printed: string): void {
  const [, pattern = /$^/g] = shownLast[0] ?? []
  const isToken = /clients (?:add|rotate)/.test(lines)
  for (const token of isToken ? (printed.match(pattern) ?? []) : []) {
    registerSecret("a token that a page shows", token)
  }
  keepOutput("what the pages print", isToken ? printed.replaceAll(pattern, "…") : printed)
}

/** Writes a policy, or what a page changes in the settings and the venue's profile. */
async function putInPlace(text: string, { dir }: Stage): Promise<void> {
  const [, name] = /^# ((?:policies\/(?:cases\/)?)?[\w.-]+\.yaml)\n/.exec(text) ?? []
  assert.ok(name !== undefined, `a first line names the file of\n${text}`)
  const file = join(dir, name)
  if (name.startsWith("policies/")) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    return writeFile(file, text, { mode: 0o600 })
  }
  const document = parseDocument(await readFile(file, "utf8"))
  for (const [key, value] of Object.entries(parse(text) as object)) document.set(key, value)
  return writeFile(file, document.toString(), { mode: 0o600 })
}

/** A line `…` stands for any number of lines. */
function assertShown({ title, text }: PageBlock, printed: string): void {
  const said = loose(printed)
  let from = 0
  for (const part of loose(text).split(/^…$/m)) {
    const at = said.indexOf(part.trim(), from)
    assert.notEqual(at, -1, `${title} shows\n${text}\nand what is printed is\n${printed}`)
    from = at + part.trim().length
  }
}

/** What a page shows, without what differs from run to run. */
function loose(text: string): string {
  return stableText(text)
    .replaceAll("\r", "")
    .replaceAll(/\bhold_[0-9A-Z]{26}\b/g, "hold_…")
    .replaceAll(/(?<=#|\b[rt]=|entry |and )\d+/g, "(n)")
    .replaceAll(/\d+(?= (?:of \d+ requests|entries|a second|s ago|min ago))/g, "(n)")
    .replaceAll(/(?<=\(n\) of )\d+(?= requests)/g, "(n)")
    .replaceAll(/ +$/gm, "")
}
