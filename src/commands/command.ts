import { resolve } from "node:path"

import { Command } from "commander"

import type { Installation } from "../vault/installation.ts"
import { printFailure, type Printing } from "./print.ts"
import { ownInstallation, usualInstallation } from "./usual-installation.ts"

export type InstallationOptions = {
  readonly dir?: string
  readonly configDir?: string
  readonly stateDir?: string
}

/** A command whose failures end as one sentence and an exit code. */
export function command(name: string, description: string): Command {
  return new Command(name).description(description)
}

/** Adds `--dir`, `--config-dir` and `--state-dir`. */
export function withInstallation(made: Command): Command {
  return made
    .option("--dir <dir>", "holds the whole installation")
    .option("--config-dir <dir>", "holds countersign.yaml, venue.yaml and policies/")
    .option("--state-dir <dir>", "holds the ledger, the keystore and the sockets")
}

/** Shows, below the command's help, lines to copy; a test holds that each would be understood. */
export function withExamples(made: Command, ...lines: readonly string[]): Command {
  return made.addHelpText(
    "after",
    ["", "Examples:", ...lines.map((line) => `  ${line}`)].join("\n"),
  )
}

/** Adds `--json`. */
export function withJson(made: Command): Command {
  return made.option("--json", "print JSON for scripts")
}

/**
 * Sets what a command runs: a fault is printed in the form asked for and becomes the exit code.
 *
 * commander gives options untyped; `Options` is the shape that the command's own options make.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it types `run`
export function runs<Options extends Printing>(
  made: Command,
  run: (options: Options, ...words: readonly (string | undefined)[]) => Promise<void>,
): Command {
  return made.action(async (...received: unknown[]) => {
    // commander passes the arguments, then the options, then the command itself.
    const options = received.at(-2) as Options
    const words = received.slice(0, -2) as (string | undefined)[]
    try {
      await run(options, ...words)
    } catch (error) {
      process.exitCode = printFailure(error, options)
    }
  })
}

/** The installation that the options name; without any of them {@link usualInstallation}. */
export function installationOf(options: InstallationOptions): Installation {
  const { dir, configDir = dir, stateDir = dir } = options
  if (configDir === undefined && stateDir === undefined) return usualInstallation()
  const own = ownInstallation()
  return {
    configDir: resolve(configDir ?? own.configDir),
    stateDir: resolve(stateDir ?? own.stateDir),
  }
}
