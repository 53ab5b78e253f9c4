import { resolve } from "node:path"

import { Command as Reader } from "commander"

import type { Installation } from "../../vault/config/installation.ts"
import type { Command } from "../cli/command.ts"
import { confirmDeed as confirm } from "../cli/confirm-deed.ts"
import type { Line } from "../cli/lines.ts"
import { print as printTo } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import type { Admin } from "./admin.ts"
import { ownInstallation, usualInstallation } from "./usual-installation.ts"
import { withAdmin as withVaultOf } from "./with-vault.ts"

// What the commands that don't have the shape of command.ts yet are made with.

export type Printing = { readonly json?: boolean | undefined }

let terminal: Terminal

export function print<Answer>(
  answer: Answer,
  { json = false }: Printing,
  human: (answer: Answer) => readonly Line[],
): void {
  printTo(answer, { terminal, json }, human)
}

export async function confirmDeed(
  message: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (!yes) await confirm(terminal, message)
}

export type InstallationOptions = {
  readonly dir?: string
  readonly configDir?: string
  readonly stateDir?: string
}

export function command(name: string, description: string): Reader {
  return new Reader(name).description(description)
}

/** Adds `--dir`, `--config-dir` and `--state-dir`. */
export function withInstallation(made: Reader): Reader {
  return made
    .option("--dir <dir>", "holds the whole installation")
    .option("--config-dir <dir>", "holds countersign.yaml, venue.yaml and policies/")
    .option("--state-dir <dir>", "holds the ledger, the keystore and the sockets")
}

/** Shows, below the command's help, lines to copy; a test holds that each would be understood. */
export function withExamples(made: Reader, ...lines: readonly string[]): Reader {
  return made.addHelpText(
    "after",
    ["", "Examples:", ...lines.map((line) => `  ${line}`)].join("\n"),
  )
}

/** Adds `--json`. */
export function withJson(made: Reader): Reader {
  return made.option("--json", "print JSON for scripts")
}

/**
 * Sets what a command runs.
 *
 * commander gives options untyped; `Options` is the shape that the command's own options make.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- it types `run`
export function runs<Options extends Printing>(
  made: Reader,
  run: (options: Options, ...words: readonly (string | undefined)[]) => Promise<void>,
): Command {
  return {
    reader: (_name, start) =>
      made.action((...received: unknown[]) => {
        // commander passes the arguments, then the options, then the command itself.
        const options = received.at(-2) as Options
        const words = received.slice(0, -2) as (string | undefined)[]
        return start({
          isForScripts: options.json === true,
          run: async (given) => {
            terminal = given
            await run(options, ...words)
            return 0
          },
        })
      }),
  }
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

export function withAdmin<Answer>(
  options: InstallationOptions,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  return withVaultOf(installationOf(options), use)
}
