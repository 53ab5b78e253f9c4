import { resolve } from "node:path"

import { Option } from "commander"

import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import {
  command,
  type About,
  type Command,
  flag,
  type Given,
  joined,
  option,
  taken,
  type Takes,
} from "../cli/command.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import { print, tell, type Line } from "../cli/print.ts"
import { passphraseFrom } from "../cli/secret-option.ts"
import { completing, type Terminal, confirmDeed } from "../cli/terminal.ts"
import { type Admin, withVault } from "./admin.ts"
import { ownInstallation, usualInstallation } from "./usual-installation.ts"

type InstallationCommandShape<Options, Answer> = About & {
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

export type InstallationOptions = Given<typeof installationOptions>

/** Name an installation, for {@link installationOf}. */
export const installationOptions = {
  dir: taken<string | undefined>(
    new Option("--dir <dir>", "holds the whole installation").env("COUNTERSIGN_DIR"),
  ),
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

type AdminCommandShape<Options, Answer> = Omit<
  InstallationCommandShape<Options, Answer>,
  "answer"
> & {
  /** Of what makes or uses private keys: where no daemon runs, the keystore is opened. */
  readonly keys?: "needed"
  /** Of what can't be undone: the question that is asked first, unless `--yes` answers it. */
  readonly question?: (options: Options) => string
  /** What is to be done around asking, while the process is still who started it. */
  readonly around?: (options: Options, ask: () => Promise<Answer>) => Promise<Answer>
  /** Makes the calls. */
  readonly call: (admin: Admin, options: Options, terminal: Terminal) => Promise<Answer>
}

/** A command that asks the vault, the daemon's or one that it opens, and prints the answer. */
export function adminCommand<Answer, Options extends object = object>(
  shape: AdminCommandShape<Options, Answer>,
): Command {
  const { question, keys, around, call } = shape
  const more = {
    ...(question && yesOption),
    ...(keys && passphraseOption),
  }
  return installationCommand<
    Answer,
    Options & Partial<Given<typeof yesOption & typeof passphraseOption>>
  >({
    ...shape,
    options: joined(shape.options, more),
    answer: async (installation, options, terminal) => {
      const { yes, passphraseFile } = options
      if (question !== undefined && yes !== true) await confirmDeed(terminal, question(options))
      const secret = keys === "needed" ? passphraseFrom(terminal, passphraseFile) : "without_keys"
      const ask = () =>
        withVault({ installation, secret }, (admin) => call(admin, options, terminal))
      return around === undefined ? ask() : around(options, ask)
    },
  })
}

/** Of a command that asks. */
export const yesOption = { yes: flag("--yes", "don't ask") }

/** Says where the keystore's passphrase is, for what opens it. */
export const passphraseOption = {
  passphraseFile: option("--passphrase-file <file>", "overrides the file in countersign.yaml"),
}
