import type { FileSet } from "../../vault/config/file-set.ts"
import { panicWarnings, cancelWarning } from "../../vault/status/warnings.ts"
import { policyWarnings } from "./policy-warnings.ts"
import { venueWarnings } from "./venue-warnings.ts"

/** What the files give to think about by themselves, where nobody knows which keys and clients there are. */
export function fileWarnings(files: FileSet): readonly string[] {
  const said = [...cancelWarning(files), ...panicWarnings(files), ...venueWarnings(files.profile)]
  return [...said.map(({ message }) => message), ...policyWarnings(files)]
}
