import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { keepFiles, registerSecret } from "./canaries.ts"
import { passphrase } from "./countersign.ts"
import { repositoryRoot } from "./markdown.ts"
import { killAllNaming } from "./process-tree.ts"
import { openTmux, type Terminal, type Tmux } from "./tmux.ts"
import { walkParts, type TerminalName, type WalkPart } from "./walk-steps.ts"

/** Where the daemon and the sandbox listen by themselves, as the README shows it. */
export const shownHosts = { daemon: "127.0.0.1:8420", venue: "127.0.0.1:8421" } as const

/** What a part of the walk looked like, as it was. */
export type WalkedPart = WalkPart & { readonly screen: string }

export type Walked = {
  readonly parts: readonly WalkedPart[]
  /** The walker's home directory. */
  readonly home: string
  /** The bot's. */
  readonly token: string
  /** Where they listened in place of {@link shownHosts}. */
  readonly hosts: Readonly<Record<keyof typeof shownHosts, string>>
}

/**
 * Walks all parts of the walk for real, in three terminals, from a home directory that is empty.
 *
 * @throws when a command fails, or waits for what isn't there.
 */
export async function walk(): Promise<Walked> {
  registerSecret("the walker's passphrase", passphrase)
  const root = mkdtempSync(join(tmpdir(), "cs-walk-"))
  const place = placeIn(root)
  const tmux = openTmux(root, place.environment)
  try {
    return await walkThrough(tmux, place)
  } finally {
    await tmux.close()
    await killAllNaming(root)
    keepFiles(place.home)
    rmSync(root, { recursive: true, force: true, maxRetries: 10 })
  }
}

type Place = {
  readonly home: string
  readonly checkout: string
  /** Gets the sandbox's URL once it is known. */
  readonly upstreamFile: string
  /** Gets the exit code of every command. */
  readonly exitsFile: string
  readonly environment: Readonly<Record<string, string>>
}

/** What differs from one run to the next: the token and where they listen. */
type Found = { token: string; venue: string; daemon: string }

async function walkThrough(tmux: Tmux, place: Place): Promise<Walked> {
  const found: Found = { token: "", venue: "", daemon: "" }
  const terminals = new Map<TerminalName, OpenTerminal>()
  const parts: WalkedPart[] = []
  for (const part of walkParts()) {
    const open = terminals.get(part.terminal) ?? (await openTerminal(tmux, place))
    terminals.set(part.terminal, open)
    for (const command of part.commands) await enter(open.terminal, actual(command, found))
    parts.push({ ...part, screen: await shownSince(open) })
    assertAllWell(place, part.title)
    find(found, parts)
    if (part.terminal === "venue") writeFileSync(place.upstreamFile, `http://${found.venue}`)
  }
  for (const name of ["daemon", "venue"] as const) await interrupt(terminals.get(name)?.terminal)
  assertAllWell(place, "the end")
  const { token, ...hosts } = found
  return { parts, home: place.home, token, hosts }
}

/** The screen isn't printed: the token may be on it. */
function assertAllWell({ exitsFile }: Place, title: string): void {
  const exits = readFileSync(exitsFile, "utf8").trim().split("\n")
  assert.ok(
    exits.every((code) => code === "0"),
    `a command fails in "${title}"`,
  )
}

type OpenTerminal = { readonly terminal: Terminal; seen: number }

async function openTerminal(tmux: Tmux, { checkout }: Place): Promise<OpenTerminal> {
  return { terminal: await tmux.open(checkout), seen: 0 }
}

/** What came to the screen since the last part, without the prompt that waits for the next. */
async function shownSince(open: OpenTerminal): Promise<string> {
  const shown = (await open.terminal.screen()).replace(/\n\$$/, "\n")
  const since = shown.slice(open.seen)
  open.seen = shown.length
  return since.trim()
}

/** The README's command with what this run has in place of what the README shows. */
function actual(command: string, { token, daemon }: Found): string {
  return command.replace("cs_…", token).replace(shownHosts.daemon, daemon)
}

/** Looks for what differs in what was shown so far. */
function find(found: Found, parts: readonly WalkedPart[]): void {
  const text = parts.map(({ screen }) => screen).join("\n")
  const token = first(/^(cs_\S+)$/m, text)
  if (token !== "" && found.token === "") registerSecret("the walker's token", token)
  found.token = token
  found.venue = first(/^sandbox listening on http:\/\/(\S+)$/m, text)
  found.daemon = first(/^listening on http:\/\/(\S+)$/m, text)
}

/** What a pattern's first group matches, or nothing. */
function first(pattern: RegExp, text: string): string {
  return pattern.exec(text)?.[1] ?? ""
}

/** Types a command line by line, answers what it asks, and waits until the shell prompts or it listens. */
async function enter(terminal: Terminal, command: string): Promise<void> {
  const lines = command.split("\n")
  for (const [index, line] of lines.entries()) {
    await terminal.type(line)
    await terminal.until((screen) => screen.endsWith(line), "the line is typed")
    await terminal.press("Enter")
    if (index < lines.length - 1) {
      await terminal.until((screen) => screen.endsWith("\n>"), "the shell asks for more")
    }
  }
  for (;;) {
    const screen = await terminal.until(isSettled, "the command ends, asks or listens")
    if (!isAsking(screen)) return
    await terminal.type(passphrase)
    await terminal.press("Enter")
    const answered = answersIn(screen)
    await terminal.until((later) => answersIn(later) > answered, "the answer is taken")
  }
}

async function interrupt(terminal: Terminal | undefined): Promise<void> {
  await terminal?.press("C-c")
  await terminal?.until((screen) => screen.endsWith("\n$"), "Ctrl-C ends what runs")
}

function isSettled(screen: string): boolean {
  return screen.endsWith("\n$") || /listening on http:\S+$/.test(screen) || isAsking(screen)
}

/** The library marks a question that waits with ◆, and with ◇ once it is answered. */
function isAsking(screen: string): boolean {
  return /^◆ {2}.*[Pp]assphrase of the keystore/m.test(screen)
}

function answersIn(screen: string): number {
  return screen.match(/^◇/gm)?.length ?? 0
}

/** A checkout and an empty home directory, and no bus: the walk must not come to the real keychain. */
function placeIn(root: string): Place {
  const [home, checkout, run] = [join(root, "home"), join(root, "checkout"), join(root, "run")]
  const commands = join(checkout, "node_modules", ".bin")
  for (const path of [home, run]) mkdirSync(path, { mode: 0o700 })
  mkdirSync(commands, { recursive: true })
  symlinkSync(join(repositoryRoot, "bin"), join(checkout, "bin"))
  const [upstreamFile, exitsFile] = [join(root, "upstream"), join(root, "exits")]
  writeFileSync(join(commands, "node"), nodeOnFreePorts(upstreamFile), { mode: 0o700 })
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_RUNTIME_DIR: run,
    LC_ALL: "C.UTF-8",
    HISTFILE: "/dev/null", // the token is typed, too
    PROMPT_COMMAND: `echo $? >> '${exitsFile}'`,
  }
  return { home, checkout, upstreamFile, exitsFile, environment }
}

/** In place of Node: others may listen on the ports that the walk shows, so free ones are taken. */
function nodeOnFreePorts(upstreamFile: string): string {
  return `#!/bin/sh
case "$2" in
  sandbox | serve) set -- "$@" --port 0 ;;
  init) set -- "$@" --upstream "$(cat '${upstreamFile}')" ;;
esac
exec '${process.execPath}' "$@"
`
}
