// The calls that cross the two Unix sockets. Whoever answers a call parses its parameters with these
// schemas first; a field they don't name is refused.

import * as z from "zod"

import type {
  Whoami,
  KeyView,
  PriceView,
  BudgetView,
  GuardUse,
  LimitUse,
  GrantView,
  HoldView,
  RecordView,
  CheckReport,
} from "../../contract/bot-views.ts"
import type { GateSettings, UpstreamSettings } from "../gate-settings.ts"
import type { Facts, FactsForGate, HeldInFull, Measures } from "../../contract/facts.ts"
import type { Refused } from "../../contract/refusal.ts"
import type { Answered, RateLimit, Signed } from "../../contract/signed.ts"
import type { OpenSigning, Signing } from "../../contract/signing.ts"
import type { RaiseView, StandingLimit, ClientView, StatusView } from "../../contract/views.ts"
import { clientRights } from "./both-ways.ts"
import { address, name, partParams, type PartResults, policyHash } from "./admin-methods.ts"
import {
  pricesList,
  gateParams,
  type GateResults,
  idempotencyKey,
  record,
  reportSchema,
  token,
  traceparent,
} from "./gate-methods.ts"
import { grantTerms } from "./grant-terms.ts"

/** The longest log of a gate that is kept for the next one. */
export const maxLogChars = 49_152

const bodyCall = z.strictObject({
  token,
  /** The venue's path, `/v1/…`. */
  path: z.string().max(256),
  /** The bot's bytes as they came, base64: invalid UTF-8 reaches the one parser too. */
  body: z.base64(),
  /** `Countersign-Key`. */
  key: z.string().max(64).optional(),
  /** `Countersign-Expires-In`, as it came. */
  expiresIn: z.string().max(32).optional(),
  /** The header `Idempotency-Key`. */
  idempotencyKey: idempotencyKey.optional(),
  /** `Countersign-Check`: the record of a check of the very same. */
  check: record.optional(),
})

/** Parameters of the bot socket's calls. The token is the only identity; no call takes a client's name. */
export const botParams = {
  sign: bodyCall.extend({
    purpose: z.enum(["return", "forward"]),
    traceparent: traceparent.optional(),
  }),
  /** The body of `POST /sign/batch` as it came, base64. */
  signBatch: z.strictObject({ token, body: z.base64() }),
  /** `shadow`: `Countersign-Shadow`, to have the request recorded. */
  check: bodyCall.extend({ shadow: z.boolean().optional() }),
  report: reportSchema,
  whoami: z.strictObject({ token }),
  /** The body of `POST /prices` as it came, base64. */
  prices: z.strictObject({ token, body: z.base64() }),
  limits: z.strictObject({ token }),
  metrics: z.strictObject({ token }),
  record: z.strictObject({ token, id: record }),
  records: z.strictObject({
    token,
    by: z.enum(["idempotency_key", "client_order_id"]),
    value: z.string().min(1).max(256),
  }),
  ...gateParams,
  health: z.strictObject({}),
  /** What a gate that can read no configuration must know; nothing in it is secret. */
  gateSettings: z.strictObject({}),
  /** By which tokens the gate tells clients apart, for whose turn it is. */
  tokens: z.strictObject({}),
  /**
   * What the gate sends messages about. `said` and `log`, which the vault doesn't read: how its targets stand, and what it
   * has yet to tell, kept for the next gate; `noted`: the unknown outcomes that it was given.
   */
  alarmFacts: z.strictObject({
    said: z.string().max(8_192),
    log: z.string().max(maxLogChars).optional(),
    noted: z.array(record).max(100),
  }),
  /** Held requests with their bodies, where a target is told of them in words. */
  heldInFull: z.strictObject({}),
}

type Answer<Value> = ({ readonly kind: "answer" } & Value) | Refused

/** Results of the bot socket's calls. */
export type BotResults = GateResults & {
  /** `rateLimits`: of a client that is known. */
  sign: (Answer<Signed> | Answered) & { readonly rateLimits?: readonly RateLimit[] }
  /** One result for each request, in their order. */
  signBatch: Answer<{ readonly results: readonly Answer<Signed>[] }>
  check: Answer<{ readonly report: CheckReport; readonly record: string | null }>
  report: Answer<unknown>
  whoami: Answer<{ readonly whoami: Whoami }>
  prices: Answer<{ readonly prices: readonly PriceView[] }>
  limits: Answer<{
    readonly limits: readonly LimitUse[]
    readonly guards: readonly GuardUse[]
    readonly budgets: readonly BudgetView[]
  }>
  metrics: Answer<{ readonly measures: Measures }>
  record: Answer<{ readonly view: RecordView }>
  records: Answer<{ readonly records: readonly RecordView[] }>
  health: OpenSigning
  gateSettings: GateSettings
  /** `0x` and SHA-256 in hex of clients' tokens, also of those that have expired. Of more than a frame holds some are left out. */
  tokens: { readonly digests: readonly string[] }
  alarmFacts: FactsForGate
  heldInFull: { readonly held: HeldInFull | null }
}

/** A limit's name alone, or after its policy's. */
/** A person's words for the record. */
const reasonText = z.string().min(1).max(200)
const limitName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}(\/[a-z0-9][a-z0-9._-]{0,63})?$/,
    "a limit's name, or policy/name",
  )
const role = z.enum(["wallet", "agent"])

/** Bytes, which cross the socket as they are; the receiver's to overwrite. */
const secret = z.custom<Uint8Array>((value) => value instanceof Uint8Array, "bytes")

const client = z.strictObject({
  name,
  keys: z.array(name).min(1).max(100),
  rights: z.array(z.enum(clientRights)),
  allowTypeB: z.boolean(),
  forwardOnly: z.boolean().optional(),
  /** From now on, ten years at most; a token that was never given a time never expires. */
  expiresInMs: z.int().min(1_000).max(315_360_000_000).optional(),
})

/** Parameters of the admin socket's calls: everything else that changes state. */
export const adminParams = {
  /** `padding` stands for nothing: it is written over what Node's buffer for reading still has of a secret before it. */
  health: z.strictObject({ padding: z.string().optional() }),
  /** Whoever made or read the key worked out the public one too, `04 ‖ x ‖ y`; the vault's must come out the same. */
  addKey: z.strictObject({
    name,
    role,
    wallet: name.optional(),
    publicKey: z.string().regex(/^0x04[0-9a-f]{128}$/, "a public key: 0x04 and 128 hex digits"),
    secret,
  }),
  listKeys: z.strictObject({}),
  /** Destroys the secret; the name and the address stay taken. */
  removeKey: z.strictObject({ name }),
  setTargets: z.strictObject({ name, targets: z.array(address).max(100) }),
  /** Clients switch from one agent key to another, and the first is retired. */
  replaceKey: z.strictObject({ from: name, to: name }),
  lock: z.strictObject({}),
  /** `secret`: what opens the key store; left out where a file or the keychain has it. */
  unlock: z.strictObject({ secret: secret.optional() }),
  addClient: client.extend({
    /** `header` if left out. */
    idempotencyBy: z.enum(["header", "client_order_id"]).optional(),
  }),
  listClients: z.strictObject({}),
  /** What is left out stays as it is. */
  setClient: client.partial().required({ name: true }),
  rotateToken: z.strictObject({ name }),
  revokeClient: z.strictObject({ name }),
  setPrice: z.strictObject({ symbol: z.string().max(64), value: z.string().max(64) }),
  /** Each with the value that a person was shown. */
  confirmPrices: z.strictObject({ prices: pricesList }),
  listPrices: z.strictObject({}),
  listHolds: z.strictObject({}),
  /** `policy_hash`: of the files in force, by which a person was shown what the request asks for. */
  decideHold: z.strictObject({
    id: z.string().max(64),
    decision: z.enum(["released", "refused"]),
    policy_hash: policyHash,
    grant: grantTerms.optional(),
  }),
  listGrants: z.strictObject({}),
  endGrant: z.strictObject({ id: z.string().max(64) }),
  listLimits: z.strictObject({}),
  listGuards: z.strictObject({}),
  raiseLimit: z.strictObject({
    limit: limitName,
    to: z.string().max(64),
    forMs: z
      .int()
      .min(1_000)
      .max(31 * 86_400_000),
    reason: reasonText,
    /** The question that it was answered with before, to which a person agreed. */
    agreed: z.string().max(65_536).optional(),
  }),
  endRaise: z.strictObject({ limit: limitName }),
  listRaises: z.strictObject({}),
  /** `account`: by its name in venue.yaml, where the guard is for several. */
  rearmGuard: z.strictObject({
    guard: limitName,
    account: name.optional(),
    allow: z.string().max(64),
    forMs: z
      .int()
      .min(1_000)
      .max(31 * 86_400_000),
    reason: reasonText,
  }),
  /** `agreed`: the equity that a person was shown. */
  anchorAccount: z.strictObject({
    account: name,
    agreed: z.string().max(64).optional(),
    reason: reasonText,
  }),
  tellFlow: z.strictObject({
    account: name,
    direction: z.enum(["in", "out"]),
    amount: z.string().max(64),
    reason: reasonText,
  }),
  ...partParams,
  /** How a command that sends to the venue by itself gets there. */
  upstream: z.strictObject({}),
  /** How messages about alarms get through. `test`: whether to have the gate send one. */
  notify: z.strictObject({ test: z.boolean() }),
  /** `at`: as if it came at this time, in milliseconds. `onDisk`: by the files on disk, in place of those in force. */
  explain: bodyCall.omit({ token: true, check: true }).extend({
    client: name,
    at: z.int().nonnegative().optional(),
    onDisk: z.boolean().optional(),
  }),
  status: z.strictObject({}),
  /** From what is derived what is wrong. */
  facts: z.strictObject({}),
}

/** Results of the admin socket's calls. */
export type AdminResults = PartResults & {
  /** That it answers. */
  health: object
  addKey: KeyView
  listKeys: readonly KeyView[]
  removeKey: KeyView
  setTargets: KeyView
  replaceKey: {
    readonly from: KeyView
    readonly to: KeyView
    readonly clients: readonly string[]
  }
  lock: { readonly state: "locked"; readonly curve: "libsecp256k1" | "noble" }
  unlock: { readonly keys: number; readonly state: Signing }
  /** `expires_at`: `null` where the token never does. */
  addClient: { readonly name: string; readonly token: string; readonly expires_at: number | null }
  listClients: readonly ClientView[]
  setClient: ClientView
  rotateToken: { readonly name: string; readonly token: string }
  revokeClient: ClientView
  setPrice: PriceView
  confirmPrices: readonly PriceView[]
  listPrices: readonly PriceView[]
  listHolds: readonly HoldView[]
  decideHold: HoldView
  listGrants: readonly GrantView[]
  endGrant: GrantView
  listLimits: readonly StandingLimit[]
  listGuards: readonly GuardUse[]
  /** `question`: nothing was raised, since a person has to agree to it first. */
  raiseLimit:
    | { readonly limit: string; readonly to: string; readonly until: number }
    | { readonly question: string }
  /** Those that were raised, as `policy/name`. */
  endRaise: { readonly limits: readonly string[] }
  listRaises: readonly RaiseView[]
  /** `max`: what may be lost until then. */
  rearmGuard: {
    readonly guard: string
    readonly account: string
    readonly max: string
    readonly until: number
  }
  /** By the last reading. Nothing was done where a person hasn't agreed to this equity yet. */
  anchorAccount: {
    readonly account: string
    readonly equity: string
    readonly read_at: number
    readonly isAnchored: boolean
  }
  tellFlow: { readonly account: string }
  upstream: UpstreamSettings | null
  /** When a test was last asked for, and what the gate says of its targets: JSON, which the vault doesn't read. */
  notify: { readonly test: number; readonly said: string }
  explain: CheckReport
  status: Omit<StatusView, "alarms">
  facts: Facts
}

type ParamsOf<Schemas extends Record<string, z.ZodType>> = {
  readonly [Method in keyof Schemas]: z.infer<Schemas[Method]>
}
export type BotParams = ParamsOf<typeof botParams>
export type AdminParams = ParamsOf<typeof adminParams>
