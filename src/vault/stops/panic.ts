import type { AdminParams } from "../../link/calls/methods.ts"
import type { PanicView, UnsignedPanic } from "../../contract/stop-views.ts"
import { Fault } from "../../std/fault.ts"
import type { PanicLine } from "../../venue/profile.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import {
  clientOf,
  faultOf,
  reserveForced,
  type OperatorSigning,
} from "../agents/operator-request.ts"
import { type KeyEntry, operatorName, panicName } from "../ledger/records/bindings.ts"
import { signReserved } from "../request/fill-in.ts"
import { parseRequest, type ParsedRequest } from "../request/parse-request.ts"
import { keyLocked } from "../request/refuse.ts"
import { missingLines } from "../status/warnings.ts"
import { freeze } from "./freeze-methods.ts"

/** What freezes everything, and signs what cancels. */
export type Panics = Acts & OperatorSigning

type PanicAsk = {
  readonly reason: string
  readonly by: string
  /** In whose name the requests are recorded: who sends them tells by it what became of them. */
  readonly client: typeof operatorName | typeof panicName
}

/** `countersign panic`: whoever runs it sends what was signed, and tells it by `settleOperation`. */
export function panicForOperator(
  { reason }: AdminParams["panic"],
  vault: Panics,
): Promise<PanicView> {
  return panic({ reason, by: operatorName, client: operatorName }, vault)
}

/**
 * Freezes everything, where all hosts can be told, then signs the cancels that venue.yaml gives under `panic`. Neither policy nor a
 * limit nor a freeze nor a rate budget stops these; what no policy can lift holds here too. What can't be signed is told,
 * and stops nothing else.
 */
export async function panic({ reason, by, client }: PanicAsk, vault: Panics): Promise<PanicView> {
  const all = { scope: "all", name: null, reason: `panic: ${reason}`, by, cancels: true } as const
  const frozen = vault.ledger.isolated === undefined ? await freeze(all, vault) : null
  const set = vault.active()
  const tries = await Promise.all(cancelsOf(set).map((ask) => signOne(ask, client, vault)))
  const now = vault.now()
  return {
    freeze: frozen,
    requests: tries.flatMap((each) =>
      "body" in each ? [{ ...each, good_for_ms: each.expires_after - now }] : [],
    ),
    unsigned: tries.flatMap((each) => ("message" in each ? [each] : [])),
    add_lines: missingLines(set.profile),
  }
}

/** One line by one key; `key` is `undefined` where there is none to sign it. */
export type PanicCancel = { readonly line: PanicLine; readonly key: string | undefined }

/** What a panic signs: each line of venue.yaml by each key that it is for. */
export function cancelsOf({ profile, usableKeys }: ActiveSet): readonly PanicCancel[] {
  const agents = [...usableKeys.values()].filter(
    (key) => key.role === "agent" && key.network === profile.network,
  )
  return profile.panic.flatMap((line): readonly PanicCancel[] => {
    if (line.key !== undefined) return [{ line, key: line.key }]
    if (agents.length === 0) return [{ line, key: undefined }]
    return agents.map(({ name }) => ({ line, key: name }))
  })
}

async function signOne(
  ask: PanicCancel,
  client: PanicAsk["client"],
  vault: OperatorSigning,
): Promise<Omit<PanicView["requests"][number], "good_for_ms"> | UnsignedPanic> {
  const { operation, target = null } = ask.line
  const about = { operation, key: ask.key ?? null, target }
  try {
    return { ...about, ...(await reserveAndSign(ask, client, vault)) }
  } catch (error) {
    // The others have to go on; a bug is told as one.
    const message = error instanceof Fault ? error.message : `this is a bug: ${String(error)}`
    return { ...about, message }
  }
}

function namedKey(name: string | undefined, { keys }: ActiveSet): KeyEntry {
  if (name === undefined) throw new Fault("key_not_found", "There is no agent key to sign it.")
  const key = keys.get(name)
  if (key !== undefined) return key
  throw new Fault("name_unknown", `There is no key named ${name}; fix panic in venue.yaml.`)
}

/** By the code that reads a bot's body, for a client that exists for one request. @throws {Fault} */
export function parseLine(
  { operation, body, target }: PanicLine,
  key: KeyEntry,
  { client, set }: { readonly client: PanicAsk["client"]; readonly set: ActiveSet },
): ParsedRequest {
  const path = set.profile.endpoints.get(operation)?.path ?? ""
  const text = JSON.stringify(target === undefined ? body : { ...body, target_address: target })
  const call = { path, body: Buffer.from(text).toString("base64") }
  const read = parseRequest(call, clientOf(client, key), set)
  if (!read.ok) throw faultOf(read.error)
  return read.value
}

/** Records, then signs. @throws {Fault} */
function reserveAndSign(
  { line, key: name }: PanicCancel,
  client: PanicAsk["client"],
  vault: OperatorSigning,
) {
  const { keyring } = vault
  const read = (set: ActiveSet): ParsedRequest => {
    const request = parseLine(line, namedKey(name, set), { client, set })
    if (keyring.isLocked(request.key.name)) throw faultOf(keyLocked(request.key.name))
    return request
  }
  const ask = { read, client, rule: panicName }
  return reserveForced(ask, vault, (request, { validity, profile }) => {
    const signed = signReserved(request, validity, { keyring, profile })
    const { record, path, body, expiresAfter } = signed
    return { record, path, body, expires_after: expiresAfter, base_url: profile.baseUrl ?? null }
  })
}
