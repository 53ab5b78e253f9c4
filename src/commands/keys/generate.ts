import { adminCommand } from "../installation/admin-command.ts"
import { keyLines, keyOptions, newKeyOf } from "./key-options.ts"

/** `countersign keys generate` */
export const keysGenerate = adminCommand({
  changes: "installation",
  description: "make a new private key that never leaves the vault",
  examples: [
    "countersign keys generate --name main --role wallet",
    "countersign keys generate --name mm --role agent --wallet main",
  ],
  options: keyOptions,
  keys: "needed",
  call: (admin, options) => admin.call("generateKey", newKeyOf(options)),
  print: keyLines,
})
