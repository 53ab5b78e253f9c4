import { resolve } from "node:path"

import { Option } from "commander"

import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import { command, type About, type Command } from "../cli/command.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import { print, tell, type Line } from "../cli/print.ts"
import { flag, joined, option, taken, type Takes } from "../cli/options.ts"
import { completing, type Terminal } from "../cli/terminal.ts"
import { ownInstallation, usualInstallation } from "./usual-installation.ts"

export type InstallationCommandShape<Options, Answer> = About & {
  /** Of a command that changes something: it then names the installation that it acted on. */
  readonly changes?: "installation"
  readonly options?: Takes<Options>
  /** Does the work. */
  readonly answer: (
    installation: Installation,
    options: Options,
    terminal: Terminal,
  ) => Promise<Answer>
  /** The answer for scripts, where that isn't the answer itself. */
  readonly json?: (answer: Answer) => unknown
  /** The answer for people. */
  readonly print: (answer: Answer, options: Options) => readonly Line[]
  /** Of what shows records: not a word of them is another. */
  readonly shows?: "records"
  /** Of an answer that isn't a success. */
  readonly exitCode?: (answer: Answer, options: Options) => ExitCode
}

/** A command that works on an installation and prints what came of it. */
export function installationCommand<Answer, Options extends object = object>(
  shape: InstallationCommandShape<Options, Answer>,
): Command {
  return command({
    ...shape,
    options: joined(shape.options, { ...installationOptions, ...jsonOption }),
    run: async (options, terminal) => {
      const installation = installationOf(options)
      const answer = await shape.answer(installation, options, terminal)
      if (shape.changes !== undefined) tellChanged(installation, terminal)
      const forScripts = shape.json === undefined ? answer : shape.json(answer)
      const shown = shape.shows === "records" ? completing(terminal, (text) => text) : terminal
      print(forScripts, { terminal: shown, json: options.json }, () => shape.print(answer, options))
      return shape.exitCode?.(answer, options) ?? 0
    },
  })
}

/** Names the installation that was changed: without options it may be another than was meant, as under sudo. */
export function tellChanged({ configDir, stateDir }: Installation, terminal: Terminal): void {
  const where = configDir === stateDir ? configDir : `${configDir} and ${stateDir}`
  tell(terminal, `Installation: ${where}`)
}

export type InstallationOptions = {
  readonly dir: string | undefined
  readonly configDir: string | undefined
  readonly stateDir: string | undefined
}

/** Name an installation, for {@link installationOf}. */
export const installationOptions: Takes<InstallationOptions> = {
  dir: taken(new Option("--dir <dir>", "holds the whole installation").env("COUNTERSIGN_DIR")),
  configDir: option("--config-dir <dir>", "holds countersign.yaml, venue.yaml and policies/"),
  stateDir: option("--state-dir <dir>", "holds the ledger, the keystore and the sockets"),
}

/** For a command that answers. */
export const jsonOption = { json: flag("--json", "print JSON for scripts") }

/** The installation that the options name; without any of them {@link usualInstallation}. */
export function installationOf(options: Partial<InstallationOptions>): Installation {
  const { dir, configDir = dir, stateDir = dir } = options
  assertNamed([dir, configDir, stateDir])
  if (configDir === undefined && stateDir === undefined) return usualInstallation()
  const own = ownInstallation()
  return {
    configDir: resolve(configDir ?? own.configDir),
    stateDir: resolve(stateDir ?? own.stateDir),
  }
}

/** An empty word is a script's variable that isn't set; it would be the directory at hand. */
function assertNamed(given: readonly (string | undefined)[]): void {
  if (!given.includes("")) return
  throw new Fault(
    "usage",
    "--dir, --config-dir, --state-dir or COUNTERSIGN_DIR is empty; name a directory, or leave it out.",
  )
}
