import type { Command } from "commander"

import type { AdminParams } from "../../link/methods.ts"
import { command, runs, withExamples, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { withVault } from "../with-vault.ts"
import { accessOf, keyLines, keyOptions, type KeyOptions } from "./key-options.ts"

/** `countersign keys generate` */
export function keysGenerate(): Command {
  const made = keyOptions(command("generate", "make a new private key that never leaves the vault"))
  withExamples(
    made,
    "countersign keys generate --name main --role wallet",
    "countersign keys generate --name mm --role agent --wallet main",
  )
  return runs<KeyOptions>(withJson(withInstallation(made)), async (options) => {
    const { name, role, wallet } = options
    const params: AdminParams["generateKey"] = {
      name,
      role,
      ...(wallet === undefined ? {} : { wallet }),
    }
    const key = await withVault(accessOf(options), (admin) => admin.call("generateKey", params))
    print(key, options, keyLines)
  })
}
