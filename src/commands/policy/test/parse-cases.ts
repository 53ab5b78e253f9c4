import { err, ok, type Result } from "../../../std/result.ts"
import { parseYaml, type Located, type Problem } from "../../../std/yaml-file.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
import type { Policy, Named } from "../../../vault/policy/terms/policy.ts"
import { parseSymbol } from "../../../vault/policy/values/scalars.ts"
import {
  casesSchema,
  unknownWord,
  type WrittenCase,
  type WrittenCases,
  type WrittenKey,
} from "./case-schema.ts"

/** A case, and where it is written. */
export type PolicyCase = WrittenCase & { readonly file: string; readonly line: number }

/** The cases of a file, and who there is for them: those whom `applies_to` names, and those whom the file does. */
export type CaseFile = {
  readonly file: string
  readonly keys: ReadonlyMap<string, WrittenKey>
  readonly cases: readonly PolicyCase[]
}

/** Parses a file of cases against the files that it tests, or tells every problem of it. */
export function parseCases(
  { file, text }: { readonly file: string; readonly text: string },
  files: FileSet,
): Result<CaseFile, readonly Problem[]> {
  const read = parseYaml(text, file, casesSchema(files.profile))
  if (!read.ok) return read
  const { value, placeOf } = read.value
  const names = namesIn(value, files)
  const problems = value.cases.flatMap((each, index) =>
    mistakesIn(each, names).map(({ path, message }) => ({
      file,
      ...placeOf(["cases", index, ...path]),
      message: `${message} (at cases.${[index, ...path].join(".")})`,
    })),
  )
  return problems.length > 0 ? err(problems) : ok(placed(read.value, file, names.keys))
}

function placed(
  { value, placeOf }: Located<WrittenCases>,
  file: string,
  keys: CaseFile["keys"],
): CaseFile {
  const cases = value.cases.map((each, index) => ({
    ...each,
    file,
    line: placeOf(["cases", index]).line,
  }))
  return { file, keys, cases }
}

/** All that a case may name. */
type Names = {
  readonly clients: ReadonlySet<string>
  readonly keys: ReadonlyMap<string, WrittenKey>
  /** `policy/name` of what allows, denies and holds, and of limits. */
  readonly entries: ReadonlySet<string>
  readonly limits: ReadonlySet<string>
  readonly symbols: FileSet["profile"]["symbols"]
}

const someAgent: WrittenKey = { role: "agent", wallet: undefined, address: undefined, targets: [] }

function namesIn(written: WrittenCases, { policies, profile }: FileSet): Names {
  const named = policies.flatMap(({ appliesTo }) => appliesTo.keys ?? [])
  const limits = policies.flatMap((policy) =>
    fullNames(policy, [...policy.limits, ...(policy.repeatWithin ? [policy.repeatWithin] : [])]),
  )
  const others = policies.flatMap((policy) =>
    fullNames(policy, [...policy.rules, ...policy.deny, ...policy.hold, ...fileKeys(policy)]),
  )
  return {
    clients: new Set([
      ...policies.flatMap(({ appliesTo }) => appliesTo.clients ?? []),
      ...written.clients,
    ]),
    keys: new Map([...named.map((name) => [name, someAgent] as const), ...written.keys]),
    entries: new Set([...others, ...limits]),
    limits: new Set(limits),
    symbols: profile.symbols,
  }
}

function fullNames({ name }: Policy, entries: readonly { readonly name: string }[]) {
  return entries.map((entry) => `${name}/${entry.name}`)
}

type Mistake = { readonly path: readonly string[]; readonly message: string }

function mistakesIn(written: WrittenCase, names: Names): readonly Mistake[] {
  const { client, key, rule, reason, expect, prices, used } = written
  const { symbols } = names
  const unknown = (path: readonly string[], word: string, known: ReadonlySet<string>) =>
    known.has(word) ? [] : [{ path, message: unknownWord(path[0] ?? "", word, known) }]
  return [
    ...unknown(["client"], client, names.clients).map(listIn("clients")),
    ...unknown(["key"], key, new Set(names.keys.keys())).map(listIn("keys")),
    ...(rule === undefined ? [] : unknown(["rule"], rule, names.entries)),
    ...[...used.keys()].flatMap((limit) =>
      unknown(["used", limit], limit, names.limits).map((mistake) => ({
        ...mistake,
        message: unknownWord("limit", limit, names.limits),
      })),
    ),
    ...[...prices.keys()]
      .filter((symbol) => parseSymbol(symbol, symbols) === undefined)
      .map((symbol) => ({
        path: ["prices", symbol],
        message: unknownWord("symbol", symbol, symbols.byName.keys()),
      })),
    ...(reason !== undefined && expect !== "deny"
      ? [{ path: ["reason"], message: "only expect: deny has a reason; leave it out" }]
      : []),
  ]
}

/** Where to name whom no policy does. */
function listIn(list: "clients" | "keys"): (mistake: Mistake) => Mistake {
  return ({ path, message }) => ({
    path,
    message: `${message}${message.endsWith("?") ? " If not," : ";"} list it under ${list} of this file`,
  })
}

/** What a file asks of every request, by its own keys: cases and coverage name them as they do entries. */
export function fileKeys({ requireIdempotency, repeatWithin }: Policy): readonly Named[] {
  return [requireIdempotency, repeatWithin].filter((key) => key !== undefined)
}
