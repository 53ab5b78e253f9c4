import { filesNamed } from "../../audit/past-files.ts"
import type { ClientView, Warning } from "../../contract/views.ts"
import type { AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { visible } from "../../std/visible.ts"
import { problemText } from "../../std/yaml-file.ts"
import { type FileSet, type FileText, parseFileSet } from "../../vault/config/load-files.ts"
import { orderMakingOperations, symbolText } from "../../vault/policy/match/judged-request.ts"
import type { LimitWindow } from "../../vault/policy/values/local-clock.ts"
import { mapAsked } from "../../vault/policy/match/matchers.ts"
import {
  appliesTo,
  isEver,
  type Deny,
  type Entry,
  type Limit,
  type Named,
  type Policy,
  type Rule,
  type SizeBound,
} from "../../vault/policy/terms.ts"
import { formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"
import { option, optionalArgument } from "../cli/command.ts"
import { clientNamed } from "../clients/client-options.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/installation-command.ts"
import { durationText } from "./duration-text.ts"
import { guardWords, percentText } from "./guard-words.ts"
import { raiseLines, differLines } from "./in-force.ts"

/** What a client may do, by the files in force. */
type ShownClient = ReturnType<typeof shownClient>

type Shown =
  | { readonly files: readonly FileText[] }
  | {
      readonly differ: Warning | null
      readonly raises: AdminResults["listRaises"]
      readonly clients: readonly ShownClient[]
    }

/** `countersign policy show [HASH] [--client NAME]` */
export const policyShow = adminCommand({
  description:
    "say in plain words what a bot may do, or what each may; or show the files that a hash names",
  examples: ["countersign policy show", "countersign policy show --client mm-bot"],
  options: {
    hash: optionalArgument(
      "[hash]",
      "a record's policy_hash: shows the files that it was judged by",
    ),
    client: option("--client <name>", "the bot; left out, all that aren't revoked"),
  },
  call: async (admin, { hash, client }): Promise<Shown> => {
    if (hash !== undefined) {
      return { files: await admin.readLedger((ledger) => filesNamed(ledger, hash)) }
    }
    const chosen =
      client === undefined
        ? (await admin.call("listClients", {})).filter(({ revoked }) => !revoked)
        : [await clientNamed(client, admin)]
    const files = await filesInForce(admin)
    const raises = await admin.call("listRaises", {})
    const { differ } = await admin.call("filesOnDisk", {})
    return { differ, raises, clients: chosen.map((each) => shownClient(each, files)) }
  },
  json: (shown) => ("files" in shown ? shown.files : shown.clients),
  print: (shown) => {
    if ("files" in shown) return shown.files.flatMap(fileLines)
    const { differ, raises, clients } = shown
    const lines = clients.flatMap((each, index) => [
      ...(index === 0 ? [] : [""]),
      ...clientLines(each),
    ])
    const none = "No clients yet; countersign clients add makes one."
    return [...differLines(differ), ...raiseLines(raises), ...(lines.length === 0 ? [none] : lines)]
  },
})

function fileLines({ name, text }: FileText, index: number): readonly string[] {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${visible(line)}`.trimEnd())
  return [...(index === 0 ? [] : [""]), visible(name), ...lines]
}

/** The files in force, as the vault has them. */
export async function filesInForce(admin: Pick<Admin, "call">): Promise<FileSet> {
  const pieces = Map.groupBy(await admin.call("filesInForce", {}), ({ name }) => name)
  const texts = [...pieces].map(([name, own]) => ({
    name,
    text: own.map(({ text }) => text).join(""),
  }))
  const files = parseFileSet(texts)
  if (files.ok) return files.value
  throw new Fault("config_invalid", files.error.map(problemText).join("\n"))
}

function shownClient({ name, keys }: ClientView, files: FileSet) {
  const policies = files.policies.filter((policy) =>
    keys.some((key) => appliesTo(policy, name, key)),
  )
  const entries = policies.flatMap((policy) => describePolicy(policy, files.profile.symbols))
  return { client: name, keys, entries }
}

function clientLines({ client, keys, entries }: ShownClient): readonly string[] {
  const allowed = entries.some(({ kind }) => kind === "allows")
  return [
    `${client} uses the keys ${keys.join(", ")}. ${allowed ? "A request must be allowed by one entry as a whole, and denied by none:" : "No rule allows it anything."}`,
    ...entries.map(
      ({ kind, policy, entry, file, line, words }) =>
        `  ${kind.padEnd(6)} ${words}  (${policy}/${entry}, ${file}:${line})`,
    ),
  ]
}

/** One entry of a policy in plain words. */
type Described = {
  readonly kind: "allows" | "denies" | "limits" | "guards" | "holds"
  readonly policy: string
  readonly entry: string
  readonly file: string
  readonly line: number
  readonly words: string
}

/** A policy's entries in plain words, in the order of the file. */
export function describePolicy(policy: Policy, symbols: SymbolTable): readonly Described[] {
  const placed = (kind: Described["kind"], entry: Named, words: readonly string[]): Described => ({
    kind,
    policy: policy.name,
    entry: entry.name,
    file: policy.file,
    line: entry.line,
    words: words.join("; "),
  })
  const keyed = (key: Named | undefined, words: string) =>
    key === undefined ? [] : [placed("denies", key, [words])]
  return [
    ...policy.rules.map((rule) =>
      placed("allows", rule, [...asked(rule, symbols), ...bounds(rule, symbols)]),
    ),
    ...policy.deny.map((entry) =>
      placed("denies", entry, [...asked(entry, symbols), ...overWords(entry, symbols)]),
    ),
    ...keyed(
      policy.repeatWithin,
      `the same body again within ${durationText(policy.repeatWithin?.ms ?? 0)} without an Idempotency-Key, for the same client and key; cancels may come again`,
    ),
    ...keyed(policy.requireIdempotency, "every request without an Idempotency-Key"),
    ...keyed(
      policy.requireCheck,
      `what may open a position without a recorded check of it, ${durationText(policy.requireCheck?.ms ?? 0)} old at most`,
    ),
    ...policy.limits.map((limit) =>
      placed("limits", limit, [...limitWords(limit), ...asked(limit, symbols)]),
    ),
    ...policy.guards.map((guard) => placed("guards", guard, guardWords(guard, symbols))),
    ...policy.hold.map((hold) =>
      placed("holds", hold, [
        ...asked(hold, symbols),
        ...overWords(hold, symbols),
        `until a person releases it, within ${durationText(hold.ttlMs)}`,
      ]),
    ),
  ]
}

/** What an entry asks. Absent matchers aren't mentioned. */
function asked({ operations, matchers }: Entry, symbols: SymbolTable): readonly string[] {
  return [
    operations === orderMakingOperations ? "every order" : [...operations].join(", "),
    ...mapAsked(matchers, (matcher, value) => `${matcher.key}: ${matcher.allowed(value, symbols)}`),
  ]
}

function bounds(rule: Rule, symbols: SymbolTable): readonly string[] {
  return [
    ...bound("at most", rule.maxQuantity, { unit: "in base units", symbols }),
    ...bound("at least", rule.minQuantity, { unit: "in base units", symbols }),
    ...bound("at most", rule.maxNotional, { unit: "in quote units at the worst price", symbols }),
    ...percent("prices within", rule.priceBand, "of the reference price"),
    ...percent("matched prices within", rule.priceMatchBand, "of the reference price"),
    ...percent("slippage at most", rule.maxSlippage, ""),
    ...(rule.maxExpiresInMs === undefined
      ? []
      : [`valid for at most ${durationText(rule.maxExpiresInMs)}`]),
    ...(rule.allowFullTpsl ? ["also a take-profit or stop over the full position"] : []),
    ...(rule.operations.has("approveAgent") ? agentWords(rule) : []),
  ]
}

function agentWords(rule: Rule): readonly string[] {
  const agents =
    rule.agentAddresses === "held"
      ? "only agents held here"
      : `only agents ${rule.agentAddresses.join(", ")}`
  return [
    `${agents}, for at most ${rule.maxValidDays} days`,
    ...(rule.authorizedAddresses.length === 0
      ? []
      : [`authorized also ${rule.authorizedAddresses.join(", ")}`]),
  ]
}

function limitWords(limit: Limit): readonly string[] {
  const { counted, per, lane, mode } = limit
  const what =
    counted.kind === "field"
      ? `the sum of ${counted.pointer.text}${counted.by === undefined ? "" : ` by ${counted.by.text}`}`
      : counted.kind.replaceAll("_", " ")
  return [
    `${what}: at most ${formatDecimal(limit.max)} ${windowWords(limit.window)}, ${per === "all" ? "for all together" : `for each ${per}`}`,
    ...(lane === undefined ? [] : ["of what reduces risk"]),
    ...(mode === "observe" ? ["watched only"] : []),
  ]
}

function windowWords(window: LimitWindow): string {
  if (window.kind === "day") return `in a day in ${window.zone}`
  return isEver(window) ? "for ever" : `in any ${durationText(window.lengthMs)}`
}

function overWords({ over }: Deny, symbols: SymbolTable): readonly string[] {
  if (over === undefined) return []
  const unit = over.kind === "quantity" ? "in base units" : "in quote units at the worst price"
  return bound("each order over", over.bound, { unit, symbols })
}

function bound(
  label: string,
  size: SizeBound | undefined,
  { unit, symbols }: { readonly unit: string; readonly symbols: SymbolTable },
): readonly string[] {
  if (size === undefined) return []
  if (size.kind === "scalar") return [`${label} ${formatDecimal(size.amount)} ${unit}`]
  const each = [...size.amountBySymbol].map(
    ([id, amount]) => `${formatDecimal(amount)} of ${symbolText(id, symbols)}`,
  )
  const others =
    size.defaultAmount === undefined ? [] : [`${formatDecimal(size.defaultAmount)} of others`]
  return [`${label} ${[...each, ...others].join(", ")} ${unit}`]
}

function percent(label: string, fraction: Decimal | undefined, tail: string): readonly string[] {
  if (fraction === undefined) return []
  return [`${label} ${percentText(fraction)} ${tail}`.trimEnd()]
}
