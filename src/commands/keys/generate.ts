import type { Command } from "commander"

import type { AdminParams } from "../../link/methods.ts"
import { command, runs, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { withVault } from "../with-vault.ts"
import { accessOf, keyLines, keyOptions, type KeyOptions } from "./key-options.ts"

/** `countersign keys generate` */
export function keysGenerate(): Command {
  const made = keyOptions(command("generate", "make a new private key that never leaves the vault"))
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
