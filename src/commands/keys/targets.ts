import type { Command } from "commander"

import type { AdminResults } from "../../link/methods.ts"
import { Fault } from "../../std/fault.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

type TargetsOptions = InstallationOptions &
  Printing & { readonly set?: string; readonly none?: boolean }

/** `countersign keys targets NAME`: sets the accounts that a key may operate besides its own address. */
export function keysTargets(): Command {
  const made = command("targets", "set the accounts that a key may operate besides its own address")
    .argument("<name>", "the key")
    .option("--set <addresses>", "these and no others, separated by commas")
    .option("--none", "none: its own address alone")
  withExamples(
    made,
    "countersign keys targets mm --set 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    "countersign keys targets mm --none",
  )
  return runs<TargetsOptions>(withJson(withInstallation(made)), async (options, name = "") => {
    const targets = targetsOf(options)
    const key = await withAdmin(options, (admin) => admin.call("setTargets", { name, targets }))
    print(key, options, targetLines)
  })
}

function targetsOf({ set, none = false }: TargetsOptions): string[] {
  if ((set === undefined) === !none) {
    throw new Fault("usage", "Say which accounts with --set, or --none.")
  }
  return set?.split(",") ?? []
}

function targetLines({ name, targets }: AdminResults["setTargets"]): readonly string[] {
  if (targets.length === 0) return [`${name} operates its own address alone.`]
  return [`${name} may operate, besides its own address:`, ...targets.map((each) => `  ${each}`)]
}
