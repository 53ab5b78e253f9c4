import { coversPath } from "../../venue/read-paths.ts"
import { appliesTo } from "./match/judged-request.ts"
import type { Policy } from "./terms/policy.ts"

/** Who reads: a client, and the key if the read names one. */
export type Reader = { readonly client: string; readonly key?: string }

/** Whether a policy lets this reader read a path of the venue (without its query). */
export function mayRead(
  policies: readonly Policy[],
  { client, key }: Reader,
  path: string,
): boolean {
  return policies
    .filter((policy) => appliesTo(policy, client, key))
    .some(({ reads }) => reads.some((pattern) => coversPath(pattern, path)))
}
