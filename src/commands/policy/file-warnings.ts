import type { FileSet } from "../../vault/active-set.ts"
import { panicWarnings } from "../../vault/stop-warnings.ts"
import { cancelWarning } from "../../vault/warnings.ts"

/** What the files give to think about by themselves, where nobody knows which keys and clients there are. */
export function fileWarnings(files: FileSet): readonly string[] {
  return [...cancelWarning(files), ...panicWarnings(files)]
}
