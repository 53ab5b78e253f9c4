// Becomes another user as the console's server does, tries to read files, and prints what came of each attempt.

import { readFileSync } from "node:fs"

import { dropRights } from "../../src/console/serve/drop-rights.ts"

const [, , id, ...files] = process.argv
dropRights({ uid: Number(id), gid: Number(id) })
console.log(JSON.stringify(files.map(codeOf)))

function codeOf(file: string): string {
  try {
    readFileSync(file)
    return "read"
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}
