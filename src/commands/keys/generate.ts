import { adminCommand } from "../installation/admin-command.ts"
import { generateKey } from "./add-key.ts"
import { keyLines, keyOptions, newKeyOf } from "./key-options.ts"

/** `countersign keys generate` */
export const keysGenerate = adminCommand({
  changes: "installation",
  description: "make a new private key, which nobody is shown",
  examples: [
    "countersign keys generate --name main --role wallet",
    "countersign keys generate --name mm --role agent --wallet main",
  ],
  options: keyOptions,
  keys: "needed",
  call: (admin, options) => generateKey(admin, newKeyOf(options)),
  print: keyLines,
})
