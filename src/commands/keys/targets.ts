import type { AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { argument, flag, option } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

type TargetsOptions = { readonly set: string | undefined; readonly none: boolean }

/** `countersign keys targets NAME`: sets the accounts that a key may operate besides its own address. */
export const keysTargets = adminCommand({
  changes: "installation",
  description: "set the accounts that a key may operate besides its own address",
  examples: [
    "countersign keys targets mm --set 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    "countersign keys targets mm --none",
  ],
  options: {
    name: argument("<name>", "the key"),
    set: option("--set <addresses>", "these and no others, separated by commas"),
    none: flag("--none", "none: its own address alone"),
  },
  call: (admin, { name, ...options }) =>
    admin.call("setTargets", { name, targets: targetsOf(options) }),
  print: targetLines,
})

function targetsOf({ set, none }: TargetsOptions): string[] {
  if ((set === undefined) === !none) {
    throw new Fault("usage", "Say which accounts with --set, or --none.")
  }
  return set?.split(",") ?? []
}

function targetLines({ name, targets }: AdminResults["setTargets"]): readonly string[] {
  if (targets.length === 0) return [`${name} operates its own address alone.`]
  return [`${name} may operate, besides its own address:`, ...targets.map((each) => `  ${each}`)]
}
