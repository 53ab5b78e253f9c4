import type { Refusal, RefusalCode } from "../../contract/refusal.ts"
import type { SignedOperation } from "../../contract/signed.ts"
import { Fault, type FaultCode } from "../../std/fault.ts"
import type { OperationId } from "../../venue/profile.ts"
import { makeActiveSet, type ActiveSet, type SetInForce } from "../active/active-set.ts"
import type { Keyring, Signature } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type Client, type KeyEntry, operatorName, hasEnded } from "../ledger/records/bindings.ts"
import type { RequestEntry } from "../ledger/records/entries.ts"
import type { Taken } from "../ledger/records/reservation.ts"
import type { LedgerTime } from "../process/clock.ts"
import { digestOf, signedBody, type Filling } from "../request/fill-in.ts"
import { bindingOf } from "../request/judge-request.ts"
import { parseRequest, type ParsedRequest } from "../request/parse-request.ts"
import { spendingOf } from "../request/spending.ts"

/** What an operation of the operator is read by and recorded in. */
export type OperatorRecords = SetInForce & { readonly ledger: Ledger }

/** The same, with the keys that sign it. */
export type OperatorSigning = OperatorRecords & { readonly keyring: Keyring }

/**
 * Parses an account operation that the operator asks for with the code that reads a bot's body, so that what no policy
 * can lift holds here too. No policy is asked: who asks writes the policies.
 *
 * @throws {Fault} `undisclosed`, `usage`.
 */
export function parseOperation(
  {
    operation,
    body,
    wallet,
    ttlMs,
  }: {
    readonly operation: OperationId
    /** The business fields, JSON. */
    readonly body: string
    /** Who signs: a wallet key held here, or one elsewhere as {@link walletElsewhere} tells it. */
    readonly wallet: KeyEntry
    /** The usual time of account operations if left out. */
    readonly ttlMs?: number | undefined
  },
  set: ActiveSet,
): ParsedRequest {
  const endpoint = set.profile.endpoints.get(operation)
  if (endpoint === undefined) throw new Fault("internal", "The profile lacks an endpoint.")
  const call = { path: endpoint.path, body: Buffer.from(body).toString("base64"), key: wallet.name }
  const asking = clientOf(operatorName, wallet)
  const read = parseRequest(call, asking, makeActiveSet(set, [wallet], []))
  if (!read.ok) throw faultOf(read.error)
  return ttlMs === undefined ? read.value : Object.freeze({ ...read.value, ttlMs })
}

/** A wallet whose key is held elsewhere, told as a key is: under its address. */
export function walletElsewhere(address: KeyEntry["address"], { profile }: ActiveSet): KeyEntry {
  return {
    name: address,
    address,
    role: "wallet",
    wallet: null,
    targets: [],
    network: profile.network,
    approval: "unknown",
    expires_at: null,
  }
}

/** Makes of what is known what is asked for. @throws {Fault} */
export type ReadOperation = (set: ActiveSet) => ParsedRequest

/** What an operation is filled in with, its record among it. */
export type Recorded = Filling & { readonly validity: Taken }

/**
 * Records an operation of the operator, whose signer it claims before. As {@link reserveForced}.
 *
 * @throws {Fault} what the ledger throws, and as {@link reserveForced}.
 */
export async function reserveOperation<Made>(
  read: ReadOperation,
  vault: OperatorRecords,
  make: (request: ParsedRequest, recorded: Recorded) => Made,
): Promise<Made> {
  await vault.ledger.claim(read(vault.active()).parties.signer)
  return reserveForced({ read, client: operatorName, rule: operatorName }, vault, make)
}

/**
 * Records a request that no policy judges in the name of `client` and `rule`, takes its nonce, and resolves with what `make` makes of it once that is durable.
 * It is read in the ledger's turn, by what other hosts have done. No limit counts it, and no rate budget stops it.
 *
 * @throws {Fault} `vault_unavailable` when its signer was too busy, and what `read` and the ledger throw.
 */
export function reserveForced<Made>(
  { read, client, rule }: Pick<RequestEntry, "client" | "rule"> & { readonly read: ReadOperation },
  vault: OperatorRecords,
  make: (request: ParsedRequest, recorded: Recorded) => Made,
): Promise<Made> {
  return vault.ledger.decide([], (turn) => {
    const set = vault.active()
    const request = read(set)
    const { endpoint, parties, ttlMs, lane } = request
    const spending = spendingOf(request, client, set)
    const reserved = turn.reserve({
      signer: parties.signer,
      entry: {
        ...bindingOf(request, { name: client }),
        path: endpoint.path,
        policy_hash: set.policyHash,
        rule,
        purpose: "forward",
      },
      ...{ claims: [], sizes: [], release: undefined, ttlMs, lane, nowMs: turn.nowMs },
      spending: spending && { ...spending, isForced: true },
    })
    if (reserved.kind === "refused") throw faultOf(reserved.refusal)
    return () => make(request, { validity: reserved, profile: set.profile })
  })
}

/**
 * Records and signs with a wallet key held here.
 *
 * @throws {Fault} `keyring_locked`: then nothing was recorded; and as {@link reserveOperation}.
 */
export async function signOperation(
  read: ReadOperation,
  signing: OperatorSigning,
): Promise<SignedOperation> {
  const { keyring } = signing
  const readUnlocked = (set: ActiveSet) => unlocked(read(set), keyring)
  const make = (request: ParsedRequest, recorded: Recorded) => {
    const signature = keyring.sign(request.key.name, digestOf(request, recorded))
    return () => signedOperation(request, recorded, { signature, now: signing.now() })
  }
  return (await reserveOperation(readUnlocked, signing, make))()
}

/** A signed operation as the command line sends it. */
export function signedOperation(
  request: ParsedRequest,
  filling: Recorded,
  { signature, now }: { readonly signature: Signature; readonly now: LedgerTime },
): SignedOperation {
  return {
    record: filling.validity.record,
    base_url: filling.profile.baseUrl ?? null,
    path: request.endpoint.path,
    body: signedBody(request, filling, signature),
    expires_after: filling.validity.expiresAfterMs,
    good_for_ms: filling.validity.expiresAfterMs - now,
  }
}

/** A client that exists for one request, since what no bot asks comes with no token. */
export function clientOf(name: string, key: KeyEntry): Client {
  return { name, token_hash: null, keys: [key.name], rights: [], allow_type_b: true }
}

function unlocked(request: ParsedRequest, keyring: Keyring): ParsedRequest {
  const { name } = request.key
  if (!keyring.isLocked(name)) return request
  throw new Fault("keyring_locked", `The key ${name} is locked; run countersign unlock first.`)
}

/** A refusal of what an operator asked for, as the command line tells failures. */
export function faultOf({ code, message }: Refusal): Fault {
  return new Fault(faultCodes[code] ?? "usage", message)
}

const faultCodes: Partial<Record<RefusalCode, FaultCode>> = {
  action_tag_undisclosed: "undisclosed",
  struct_undisclosed: "undisclosed",
  signing_type_undisclosed: "undisclosed",
  items_undisclosed: "undisclosed",
  target_layout_undisclosed: "undisclosed",
  signer_pace: "vault_unavailable",
}

/** The key of a name. @throws {Fault} `name_unknown`. */
export function keyNamed(name: string, { keys }: ActiveSet): KeyEntry {
  const key = keys.get(name)
  if (key !== undefined) return key
  throw new Fault(
    "name_unknown",
    `There is no key named ${name}; countersign keys list shows them.`,
  )
}

/**
 * The agent key of a name.
 *
 * @throws {Fault} `name_unknown`, `usage` when it is a wallet key or made for another network.
 */
export function agentNamed(name: string, set: ActiveSet): KeyEntry {
  const key = keyNamed(name, set)
  if (key.role !== "agent") {
    throw new Fault("usage", `${name} is a wallet key; name an agent key.`)
  }
  if (key.network !== set.profile.network) {
    throw new Fault(
      "usage",
      `The key ${name} was made for another network than the one in venue.yaml.`,
    )
  }
  return key
}

/** The agent key of a name, which may still sign. @throws {Fault} as {@link agentNamed}, and `usage` when it has ended. */
export function agentToApprove(name: string, set: ActiveSet): KeyEntry {
  const agent = agentNamed(name, set)
  if (!hasEnded(agent)) return agent
  throw new Fault(
    "usage",
    `The key ${name} is ${agent.approval} and never signs again; make another agent key.`,
  )
}

/** The wallet key of an agent, held here; else `wayOn` says what to do. @throws {Fault} `usage` when it isn't. */
export function walletHeldFor(
  { name, wallet }: KeyEntry,
  { keys }: ActiveSet,
  wayOn: string,
): KeyEntry {
  const held = wallet === null ? undefined : keys.get(wallet)
  if (held?.role === "wallet") return held
  const why =
    wallet === null
      ? `${name} belongs to no wallet key held here`
      : `The wallet of ${name} is ${wallet}, which isn't held here`
  throw new Fault("usage", `${why}; ${wayOn}.`)
}

/** Nothing is signed that can't be sent. @throws {Fault} `undisclosed` without a base address. */
export function assertSendable({ profile }: ActiveSet): void {
  if (profile.baseUrl !== undefined) return
  throw new Fault(
    "undisclosed",
    "No venue is configured to send this to; add to venue.yaml: base_url: https://…",
  )
}
