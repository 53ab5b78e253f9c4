import { Command } from "commander"

import { version } from "../version.ts"
import { clientsAdd } from "./clients/add.ts"
import { clientsList } from "./clients/list.ts"
import { demo } from "./demo.ts"
import { init } from "./init.ts"
import { keysExport } from "./keys/export.ts"
import { keysGenerate } from "./keys/generate.ts"
import { keysImport } from "./keys/import.ts"
import { keysList } from "./keys/list.ts"
import { policyCheck } from "./policy/check.ts"
import { sandbox } from "./sandbox.ts"
import { serve } from "./serve.ts"
import { status } from "./status.ts"

/** The whole command line. Its tree is the tree of files beside this one. */
export function countersign(): Command {
  const program = new Command("countersign")
    .description("Signs what trading bots ask for, as far as your policies allow.")
    .version(version)
    .showHelpAfterError("(countersign --help shows what there is)")
  for (const made of [init(), serve(), status(), demo(), sandbox()]) program.addCommand(made)
  program.addCommand(
    group("keys", "private keys", keysGenerate(), keysImport(), keysExport(), keysList()),
  )
  program.addCommand(group("clients", "bots and their tokens", clientsAdd(), clientsList()))
  program.addCommand(group("policy", "what bots may do", policyCheck()))
  throwOnUsageErrors(program)
  return program
}

function group(name: string, description: string, ...commands: readonly Command[]): Command {
  const made = new Command(name).description(description)
  for (const each of commands) made.addCommand(each)
  return made
}

/** commander would end the process with 1; usage errors are ours to end with 2. */
function throwOnUsageErrors(made: Command): void {
  made.exitOverride()
  for (const each of made.commands) throwOnUsageErrors(each)
}
