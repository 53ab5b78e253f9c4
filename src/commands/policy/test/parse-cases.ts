import * as z from "zod"

import { nearestWord } from "../../../std/nearest-word.ts"
import { err, ok, type Result } from "../../../std/result.ts"
import { parseYaml, type Located, type Problem } from "../../../std/yaml-file.ts"
import type { FileSet } from "../../../vault/config/load-files.ts"
import type { Policy, Named } from "../../../vault/policy/terms.ts"
import {
  parseSymbol,
  objectError,
  addressText,
  amount,
  amountAboveZero,
  durationMs,
  listOf,
  oneOf,
  policyName,
  textAs,
} from "../../../vault/policy/values/scalars.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { Profile } from "../../../venue/profile.ts"
import { dateForm, dateOf } from "../../cli/values.ts"
import { caseAccountSchema, readCaseAccount } from "./case-account.ts"

/** What a file says of a key; what it leaves out doesn't matter to its cases. */
export type WrittenKey = z.output<typeof keySchema>

/** A file of cases, before its names are looked up. */
type WrittenCases = z.output<ReturnType<typeof casesSchema>>
export type WrittenCase = WrittenCases["cases"][number]

/** What is used of a limit when a case comes. */
export type Used = z.output<typeof usedSchema>

/** When a case is judged that doesn't say: the same time at every run. A Monday. */
const usualAtMs = Date.parse("2026-01-05T12:00:00Z")

/** The schema of a file of cases. Operations are looked up while reading, so that a wrong one is told at its line. */
function casesSchema({ endpoints }: Profile) {
  return z
    .strictObject(
      {
        clients: listOf(policyName).optional(),
        keys: mapOf(keySchema, "a map from names of keys to what each is").optional(),
        cases: listOf(caseSchema(endpoints)),
      },
      { error: objectError("a file of cases: `cases:` and a list") },
    )
    .transform(({ clients = [], keys = new Map<string, WrittenKey>(), cases }) => ({
      ...{ clients, keys, cases },
    }))
}

const keySchema = z
  .strictObject(
    {
      role: oneOf(["wallet", "agent"]).optional(),
      wallet: policyName.optional(),
      address: addressText.optional(),
      targets: listOf(addressText).optional(),
    },
    { error: objectError("what the key is: role, wallet, address, targets") },
  )
  .transform(({ role = "agent", wallet, address, targets = [] }) => ({
    role,
    /** The wallet that an agent acts for, by name. */
    wallet,
    address,
    /** Accounts that it may operate besides its own. */
    targets,
  }))

const givenKey = z
  .string({ error: "must be a text" })
  .regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 visible characters of ASCII")

function caseSchema(endpoints: Profile["endpoints"]) {
  return z
    .strictObject(
      {
        name: z.string({ error: "must say what the case shows" }).regex(/\S/, "must not be empty"),
        client: policyName,
        key: policyName,
        operation: textAs(
          (text) => [...endpoints.values()].find(({ id }) => id === text),
          (text) => unknownWord("operation", text, endpoints.keys()),
        ),
        body: z.string({
          error: "must be the JSON that the bot would send; write it under body: |",
        }),
        expires_in: durationMs({ least: "1ms", most: "1d", example: "10s" }).optional(),
        idempotency_key: givenKey.optional(),
        checked_ago: durationMs({ least: "1ms", most: "1d", example: "10s" }).optional(),
        at: textAs(dateOf, () => `must be ${dateForm}`).optional(),
        prices: mapOf(amountAboveZero, "a map from symbols to reference prices").optional(),
        used: mapOf(usedSchema, "a map from limits, as policy/name, to what is used").optional(),
        account: caseAccountSchema.optional(),
        expect: oneOf(["allow", "hold", "deny"]),
        rule: z.string({ error: "must be policy/name" }).optional(),
        reason: z.string({ error: "must be a word of docs/error-codes.md" }).optional(),
      },
      { error: objectError("a case: name, client, key, operation, body and expect") },
    )
    .transform(
      ({ operation, expires_in, idempotency_key, checked_ago, at, prices, used, ...written }) => ({
        ...written,
        endpoint: operation,
        ...{ idempotencyKey: idempotency_key, checkAgeMs: checked_ago },
        expiresInMs: expires_in,
        atMs: at ?? usualAtMs,
        /** Reference prices, by symbol as it is written. */
        prices: prices ?? new Map<string, Decimal>(),
        /** By limit, as it is written. */
        used: used ?? new Map<string, Used>(),
        ...{ account: written.account, rule: written.rule, reason: written.reason },
      }),
    )
}

/** An amount, taken at the moment of the case, or so long before it. */
const usedSchema = z.preprocess(
  (written) => (typeof written === "string" ? { amount: written } : written),
  z
    .strictObject(
      { amount, ago: durationMs({ least: "1ms", most: "31d", example: "59m" }).optional() },
      { error: objectError("an amount, or {amount, ago}") },
    )
    .transform(({ amount: taken, ago }) => ({ amount: taken, agoMs: ago ?? 0 })),
)

function mapOf<Value extends z.ZodType>(value: Value, expected: string) {
  return z
    .record(z.string(), value, { error: objectError(expected) })
    .transform((written) => new Map(Object.entries(written) as [string, z.output<Value>][]))
}

/** What to say of a word that isn't one of those that there are. */
function unknownWord(what: string, word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known)
  return `unknown ${what} "${word}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`
}

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
    [...mistakesIn(each, names), ...accountMistakes(each, files)].map(({ path, message }) => ({
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

const someAgent: WrittenKey = { role: "agent", wallet: undefined, address: undefined, targets: [] }

function namesIn(written: WrittenCases, { policies, profile }: FileSet) {
  const named = policies.flatMap(({ appliesTo }) => appliesTo.keys ?? [])
  const limits = policies.flatMap((policy) =>
    fullNames(policy, [...policy.limits, ...(policy.repeatWithin ? [policy.repeatWithin] : [])]),
  )
  const others = policies.flatMap((policy) =>
    fullNames(policy, [
      ...[...policy.rules, ...policy.deny, ...policy.hold, ...policy.guards],
      ...fileKeys(policy),
    ]),
  )
  return {
    clients: new Set([
      ...policies.flatMap(({ appliesTo }) => appliesTo.clients ?? []),
      ...written.clients,
    ]),
    keys: new Map([...named.map((name) => [name, someAgent] as const), ...written.keys]),
    /** `policy/name` of what allows, denies, holds and bounds. */
    entries: new Set([...others, ...limits]),
    limits: new Set(limits),
    symbols: profile.symbols,
  }
}

function fullNames({ name }: Policy, entries: readonly { readonly name: string }[]) {
  return entries.map((entry) => `${name}/${entry.name}`)
}

type Mistake = { readonly path: readonly string[]; readonly message: string }

function mistakesIn(written: WrittenCase, names: ReturnType<typeof namesIn>): readonly Mistake[] {
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

function accountMistakes({ account, atMs }: WrittenCase, files: FileSet): readonly Mistake[] {
  const read = account && readCaseAccount(account, { files, atMs })
  if (read === undefined || read.ok) return []
  return read.error.map(({ path, message }) => ({ path: ["account", ...path], message }))
}

/** Where to name whom no policy does. */
function listIn(list: "clients" | "keys"): (mistake: Mistake) => Mistake {
  return ({ path, message }) => ({
    path,
    message: `${message}${message.endsWith("?") ? " If not," : ";"} list it under ${list} of this file`,
  })
}

/** What a file asks of every request, by its own keys: cases and coverage name them as they do entries. */
export function fileKeys({
  requireIdempotency,
  repeatWithin,
  requireCheck,
}: Policy): readonly Named[] {
  return [requireIdempotency, repeatWithin, requireCheck].filter((key) => key !== undefined)
}
