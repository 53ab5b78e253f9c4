import type { ActiveSet } from "../active/active-set.ts"
import { signingNow } from "./signing.ts"
import type { StatusSources } from "./sources.ts"
import { counted } from "./warnings.ts"

/** Of a policy's hash, enough to tell two apart. */
const shownHashDigits = 12

/**
 * What a vault does now, for the line that `systemctl status` shows: what it signs and why not more, then what it
 * has, then `refused`: why the files on disk aren't in force.
 */
export function statusLine(sources: StatusSources, refused = sources.differ()?.message): string {
  return [signingNow(sources).words, setWords(sources.active()), refused]
    .filter((part) => part !== undefined)
    .join("; ")
}

function setWords({ usableKeys, clients, policyHash }: ActiveSet): string {
  const served = clients.filter(({ token_hash }) => token_hash !== null).length
  const policy = policyHash.slice(0, shownHashDigits)
  return `${counted(usableKeys.size, "key")}, ${counted(served, "client")}, policy ${policy}…`
}
