import { resolve } from "node:path"

import type { Installation } from "../../vault/config/installation.ts"
import { command, type About, type Command } from "../cli/command.ts"
import type { ExitCode } from "../cli/exit-code.ts"
import type { Line } from "../cli/lines.ts"
import { flag, joined, option, type Takes } from "../cli/options.ts"
import { print } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import { ownInstallation, usualInstallation } from "./usual-installation.ts"

export type InstallationCommandShape<Options, Answer> = About & {
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
  /** Of an answer that isn't a success. */
  readonly exitCode?: (answer: Answer) => ExitCode
}

/** A command that works on an installation and prints what came of it. */
export function installationCommand<Answer, Options extends object = object>(
  shape: InstallationCommandShape<Options, Answer>,
): Command {
  return command({
    ...shape,
    options: joined(shape.options, { ...installationOptions, ...jsonOption }),
    run: async (options, terminal) => {
      const answer = await shape.answer(installationOf(options), options, terminal)
      const forScripts = shape.json === undefined ? answer : shape.json(answer)
      print(forScripts, { terminal, json: options.json }, () => shape.print(answer, options))
      return shape.exitCode?.(answer) ?? 0
    },
  })
}

export type InstallationOptions = {
  readonly dir: string | undefined
  readonly configDir: string | undefined
  readonly stateDir: string | undefined
}

/** Name an installation, for {@link installationOf}. */
export const installationOptions: Takes<InstallationOptions> = {
  dir: option("--dir <dir>", "holds the whole installation"),
  configDir: option("--config-dir <dir>", "holds countersign.yaml, venue.yaml and policies/"),
  stateDir: option("--state-dir <dir>", "holds the ledger, the keystore and the sockets"),
}

/** For a command that answers. */
export const jsonOption = { json: flag("--json", "print JSON for scripts") }

/** The installation that the options name; without any of them {@link usualInstallation}. */
export function installationOf(options: Partial<InstallationOptions>): Installation {
  const { dir, configDir = dir, stateDir = dir } = options
  if (configDir === undefined && stateDir === undefined) return usualInstallation()
  const own = ownInstallation()
  return {
    configDir: resolve(configDir ?? own.configDir),
    stateDir: resolve(stateDir ?? own.stateDir),
  }
}
