import { statSync } from "node:fs"

import { openFault } from "./private-file.ts"

/** Whether there is something at `path`. What can't be looked at isn't said to be missing. @throws {Fault} */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw openFault(path, cause)
  }
}
