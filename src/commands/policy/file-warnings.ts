import type { Warning } from "../../contract/views.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { mayMeet, share } from "../../vault/policy/file/policy-file.ts"
import { usesOrderMatchers } from "../../vault/policy/match/matchers.ts"
import type { Guard } from "../../vault/policy/guard-terms.ts"
import type { Entry, Policy, Rule, SizeBound, Deny, Limit } from "../../vault/policy/terms.ts"
import { unreadWarning } from "../../vault/status/guard-warnings.ts"
import { panicWarnings, cancelWarning } from "../../vault/status/warnings.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import { isCancel } from "../../venue/payload/parse-payload.ts"
import { cancelIds, type Profile, type Endpoint, type OperationId } from "../../venue/profile.ts"

/** What the files give to think about by themselves, where nobody knows which keys and clients there are. */
export function fileWarnings(files: FileSet): readonly string[] {
  const said = [
    ...cancelWarning(files),
    ...panicWarnings(files),
    ...unreadWarning(files),
    ...venueWarnings(files.profile),
  ]
  return [...said.map(({ message }) => message), ...policyWarnings(files)]
}

/** What policies say that somebody hardly means. Each names the entry's file and line. */
export function policyWarnings({
  policies,
  profile,
}: Pick<FileSet, "policies" | "profile">): readonly string[] {
  const files = { policies, profile }
  return policies.flatMap((policy) => {
    const warn = (entry: Placed, message: string | undefined): readonly string[] =>
      message === undefined
        ? []
        : [`${policy.name}/${entry.name} (${policy.file}:${entry.line}) ${message}`]
    return [
      ...policy.rules.flatMap((rule) =>
        warn(rule, whyNever.find(({ isIn }) => isIn(rule, profile))?.message),
      ),
      ...[...policy.deny, ...policy.hold].flatMap((entry) =>
        warn(entry, stopsWaysOut({ policy, entry }, files)),
      ),
      ...[...policy.hold, ...policy.limits].flatMap((entry) =>
        warn(entry, goesPast({ policy, entry }, files)),
      ),
      ...policy.rules.flatMap((rule) =>
        warn(rule, oneAmount(rule, { key: "max_notional", bound: rule.maxNotional }, profile)),
      ),
      ...[...policy.deny, ...policy.hold].flatMap((entry) => {
        const bound = entry.over?.kind === "notional" ? entry.over.bound : undefined
        return warn(entry, oneAmount(entry, { key: "over_notional", bound }, profile))
      }),
      ...policy.guards.flatMap((guard) => warn(guard, grossAsNet(guard, profile))),
      ...policy.limits.flatMap((limit) => {
        const { counted, max: amount } = limit
        if (counted.kind !== "submitted_notional" && counted.kind !== "worst_cost") return []
        return warn(
          limit,
          oneAmount(limit, { key: "max", bound: { kind: "scalar", amount } }, profile),
        )
      }),
    ]
  })
}

/** Where an entry stands. */
type Placed = Pick<Entry, "name" | "line">

/** An entry of a policy, and the files that it is read with. */
type PlacedEntry<Kind extends Entry = Entry> = {
  readonly policy: Policy
  readonly entry: Kind
}
type Files = { readonly policies: readonly Policy[]; readonly profile: Profile }

/** The rules that may allow something to whom an entry is for. */
function rulesBeside({ policy }: PlacedEntry, { policies }: Files): readonly Rule[] {
  return policies
    .filter((other) => mayMeet(policy.appliesTo, other.appliesTo))
    .flatMap(({ rules }) => rules)
}

/** Why no request ever matches a rule. */
const whyNever: readonly {
  readonly message: string
  readonly isIn: (rule: Rule, profile: Profile) => boolean
}[] = [
  {
    message:
      "allows nothing: it asks about orders, and those of its endpoints can't be read; say where they are (like, items and item_like in venue.yaml)",
    isIn: (rule, { endpoints }) =>
      asksOfOrders(rule) &&
      ![...rule.operations].some((id) => readable.includes(endpoints.get(id)?.shape.kind)),
  },
  {
    message: "allows nothing: label is for approveAgent, which its endpoints don't name",
    isIn: ({ matchers, operations }) =>
      matchers.label !== undefined && !operations.has("approveAgent"),
  },
  {
    message: "allows nothing: a map of sizes has none of its symbols, and no default",
    isIn: ({ matchers: { symbols }, maxQuantity, minQuantity, maxNotional }) =>
      symbols !== undefined &&
      [maxQuantity, minQuantity, maxNotional].some((bound) => hasNoneOf(bound, symbols)),
  },
  {
    message:
      "allows nothing: its symbols are all spot, and those have no position_side and no margin_mode",
    isIn: ({ matchers: { symbols, positionSides, marginModes } }, profile) =>
      (positionSides ?? marginModes) !== undefined &&
      symbols?.every((id) => profile.symbols.byId.get(id)?.market === "spot") === true,
  },
]

/** The shapes of bodies whose orders can be read. */
const readable: readonly (Endpoint["shape"]["kind"] | undefined)[] = [
  "order",
  "order_with_id",
  "order_list",
]

function asksOfOrders(rule: Rule): boolean {
  const { maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage } = rule
  const bounds = [maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage]
  return usesOrderMatchers(rule.matchers) || bounds.some((bound) => bound !== undefined)
}

function hasNoneOf(bound: SizeBound | undefined, symbols: readonly number[]): boolean {
  if (bound?.kind !== "by_symbol" || bound.defaultAmount !== undefined) return false
  return !symbols.some((id) => bound.amountBySymbol.has(id))
}

const placing = ["placeOrder", "placeBatch"] as const satisfies readonly OperationId[]

/** Says of a deny or hold that it stops cancels, or reduce-only orders, that some rule allows. */
function stopsWaysOut(placed: PlacedEntry<Deny>, files: Files): string | undefined {
  const rules = rulesBeside(placed, files)
  const { entry } = placed
  const covered = (ids: readonly OperationId[], allowing: readonly Rule[]): boolean =>
    ids.some((id) => entry.operations.has(id) && allowing.some((rule) => rule.operations.has(id)))

  if (covered(cancelIds, rules)) {
    return "stops cancels that a rule allows: list its endpoints, without the cancels"
  }
  const forExits = rules.filter(
    (rule) => mayBeReducing(rule, files) && share(rule.matchers.symbols, entry.matchers.symbols),
  )
  if (mayBeReducing(entry, files) && covered(placing, forExits)) {
    return "stops reduce-only orders that a rule allows: add forbid_flags: [reduce_only]"
  }
  return undefined
}

/** Whether a reduce-only order on a perpetual, which has no legs, may match. */
function mayBeReducing({ matchers }: Entry, { profile }: Files): boolean {
  const { forbidFlags, algoOrderTypes, symbols } = matchers
  if (forbidFlags?.includes("reduce_only") === true) return false
  if (algoOrderTypes?.some((type) => type === "none" || type === "conditional") === false)
    return false
  return symbols?.some((id) => profile.symbols.byId.get(id)?.market === "perp") ?? true
}

/** What brings about the same orders, of more than one or later. */
const siblings: Partial<Record<OperationId, readonly OperationId[]>> = {
  placeOrder: ["placeBatch", "modifyOrder", "modifyBatch"],
  modifyOrder: ["modifyBatch"],
}

/** Says of a hold or limit by which operations a bot goes past it that a rule allows and that can be signed. */
function goesPast(placed: PlacedEntry<Entry | Limit>, files: Files): string | undefined {
  const { entry } = placed
  const rules = rulesBeside(placed, files)
  const past = [...entry.operations]
    .flatMap((id) => siblings[id] ?? [])
    .filter((id) => !entry.operations.has(id))
    .filter((id) => files.profile.endpoints.get(id)?.signing.known === true)
    .filter((id) => rules.some(({ operations }) => operations.has(id)))
  if (past.length === 0 || ("lane" in entry && entry.lane === "reduce")) return undefined
  return `doesn't cover ${[...new Set(past)].join(", ")}, which a rule allows, so a bot can get round it that way. Add it to endpoints, or leave endpoints out where the entry speaks of orders`
}

/** Says of one amount, which an entry has under a key, in quote units that it is for symbols of several currencies: 1,000 USD are little, and 1,000 BTC much. */
function oneAmount(
  { matchers: { symbols } }: Entry,
  { key, bound }: { readonly key: string; readonly bound: SizeBound | undefined },
  profile: Profile,
): string | undefined {
  const { amount, isIts } = sharedIn(bound)
  const { byId } = profile.symbols
  const ids = (symbols ?? [...byId.keys()]).filter(isIts)
  const quotes = [...new Set(ids.flatMap((id) => byId.get(id)?.quote ?? []))]
  if (amount === undefined || quotes.length < 2) return undefined
  const each = quotes.map((quote) => `${formatDecimal(amount)} ${quote}`)
  return `has one ${key} for symbols of several currencies, which is ${each.join(" and ")}; give each symbol its own, or each currency an entry`
}

/** Says of a guard that it bounds both sides together where no account has two. */
function grossAsNet({ maxPosition }: Guard, { accountPoll }: Profile): string | undefined {
  const bounds = [...(maxPosition?.bySymbol.values() ?? []), maxPosition?.default]
  const isHedged = accountPoll?.accounts.some(({ positionMode }) => positionMode === "hedge")
  if (isHedged !== false || !bounds.some((bound) => bound?.kind === "gross")) return undefined
  return "bounds gross, and no account of venue.yaml is in hedge mode"
}

/** The amount that symbols share, and which do. */
function sharedIn(bound: SizeBound | undefined) {
  if (bound?.kind !== "by_symbol") return { amount: bound?.amount, isIts: () => true }
  const isIts = (id: number): boolean => !bound.amountBySymbol.has(id)
  return { amount: bound.defaultAmount, isIts }
}

/** What venue.yaml leaves open, so that requests are refused or more is signed. Each names the line to change. */
export function venueWarnings({ endpoints }: Profile): readonly Warning[] {
  return [...endpoints.values()].flatMap((endpoint) => [
    ...uncounted(endpoint),
    ...openCancel(endpoint),
  ])
}

function uncounted({ id, signing }: Endpoint): readonly Warning[] {
  if (signing.known || signing.code !== "items_undisclosed") return []
  const message = `${id} is refused, since its orders can't be counted: no limit, budget or bound could hold them. Change venue.yaml: ${signing.addLine}`
  return [{ message, fix: fixBy(signing.addLine) }]
}

function openCancel({ id, signing, fields }: Endpoint): readonly Warning[] {
  if (!isCancel(id) || fields !== undefined) return []
  if (!signing.known || signing.value.type === "B") return []
  const line = `endpoints: {${id}: {action_tag: ${signing.value.tag}, fields: [order_id]}}`
  const message = `${id} passes freezes and limits, and venue.yaml doesn't list its fields: any body of at most 4 KiB is signed, unless it has a field that only orders have. List them in venue.yaml: ${line}, with the names that the venue documents.`
  return [{ message, fix: fixBy(line) }]
}

function fixBy(line: string): string {
  return `add to venue.yaml: ${line}; then: countersign policy reload`
}
