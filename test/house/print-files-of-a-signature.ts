// `npm run files-of-a-signature`: the files of src/ that one signature passes.

import { filesOfASignature } from "./files-of-a-signature.ts"

const files = await filesOfASignature()
process.stdout.write(`${files.join("\n")}\n${files.length} files\n`)
