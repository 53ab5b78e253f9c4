import { err, ok, type Result } from "../../std/result.ts"
import type { Problem } from "../../std/yaml-file.ts"
import { builtinParts } from "../../venue/builtin-profile.ts"
import { paperName } from "../../venue/paper-key.ts"
import type { Profile, SymbolTable } from "../../venue/profile.ts"
import { parseProfile } from "../../venue/profile/profile-file.ts"
import type { Policy } from "../policy/terms.ts"
import type { Config } from "./config.ts"

/** What requests are judged by. */
export type View = {
  readonly config: Config
  readonly profile: Profile
  readonly policies: readonly Policy[]
}

/**
 * How paper is judged by the same files: what they say of a key they say of its paper key; limits have meters of their own;
 * symbols, and so prices, are venue.yaml's. Of the venue's budgets paper uses nothing, and guards don't judge it: no reading
 * shows its accounts.
 */
export function parsePaper(
  text: string,
  file: string,
  live: View,
): Result<View, readonly Problem[]> {
  const read = parseProfile(text, file)
  if (!read.ok) return read
  const message = misfitOf(read.value, live.profile)
  if (message !== undefined) return err([{ file, line: 1, column: 1, message }])
  const { budgets } = live.config
  return ok({
    config: { ...live.config, budgets: { ...budgets, isOn: { address: false, ip: false } } },
    profile: Object.freeze({ ...read.value, symbols: live.profile.symbols, isPaper: true }),
    policies: live.policies.map(onPaper),
  })
}

function onPaper({ appliesTo, limits, ...policy }: Policy): Policy {
  return {
    ...policy,
    appliesTo: { ...appliesTo, keys: appliesTo.keys?.map(paperName) },
    limits: limits.map((limit) => ({ ...limit, definition: `paper ${limit.definition}` })),
    guards: [],
  }
}

/** Why a profile can't be paper's. The network is what keeps a paper signature from being good where money is. */
function misfitOf({ domain, baseUrl, symbols }: Profile, live: Profile): string | undefined {
  if ([live.domain.chainId, builtinParts.domain.chainId].includes(domain.chainId)) {
    return `domain.chain_id is ${domain.chainId}, of the main network or venue.yaml's own; paper needs another network, as countersign sandbox plays`
  }
  if (baseUrl === undefined) return "base_url is missing, and what paper signs goes nowhere else"
  const own = factsOf(symbols)
  const strange = factsOf(live.symbols).symmetricDifference(own).values().next().value
  if (own.size === 0 || strange === undefined) return undefined
  return `symbols must be those of venue.yaml in id, name, market and quote, or left out; ${strange} is in one file alone`
}

function factsOf({ byId }: SymbolTable): ReadonlySet<string> {
  return new Set(
    byId.values().map(({ id, ...is }) => `${is.name} (${id}, ${is.market}, ${is.quote})`),
  )
}
