import { hash, randomBytes } from "node:crypto"

import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { Address } from "../../venue/address.ts"
import { standsFor } from "../../venue/paper-key.ts"
import type { Endpoint, Signing } from "../../venue/profile.ts"
import type { Parties } from "../../venue/signing-hash.ts"
import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Client, ClientRight, KeyEntry } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"
import { type BadTokenCount, refuseToken } from "../watch/bad-tokens.ts"
import { invalidRequest } from "./refuse.ts"
import { utcText } from "../../std/time/time-words.ts"

/**
 * Finds the client whose token this is, until it expires. A right token is served however many wrong ones came before.
 *
 * Tokens are 256 random bits, looked up by hash: how long the look-up takes tells nothing of a token.
 */
export function authenticate(
  token: string,
  set: ActiveSet,
  { count, nowMs }: { readonly count: BadTokenCount; readonly nowMs: LedgerTime },
): Result<Client, Refusal> {
  const client = set.clientByTokenHash.get(hashToken(token))
  if (client === undefined) return err(refuseToken(count, nowMs))
  const { name, expires_at: expiresAtMs = Infinity } = client
  return nowMs >= expiresAtMs ? err(tokenExpired(name, expiresAtMs)) : ok(client)
}

/** Only who shows the token itself learns that it expired. */
function tokenExpired(name: string, endMs: number): Refusal {
  return {
    code: "token_expired",
    message: `The token of ${name} expired at ${utcText(endMs)}; the operator gives it more time: countersign clients renew ${name}.`,
    data: { expired_at: endMs },
  }
}

/** SHA-256 of a token, as it is kept. */
export function hashToken(token: string): string {
  return `0x${hash("sha256", token)}`
}

/** A new token: what it begins with, and 256 random bits in base64url. */
export function makeToken(prefix: "cs_" | "cs_paper_" = "cs_"): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`
}

/** What tells a client by its token. */
export type TokenContext = SetInForce & { readonly badTokens: BadTokenCount }

/** The client whose token this is now. */
export function identify(token: string, vault: TokenContext): Result<Client, Refusal> {
  const nowMs = vault.now()
  return authenticate(token, vault.active(), { count: vault.badTokens, nowMs })
}

/** As {@link identify}, of a client that was added with a right. */
export function clientWithRight(
  token: string,
  right: ClientRight,
  vault: TokenContext,
): Result<Client, Refusal> {
  const client = identify(token, vault)
  if (!client.ok || client.value.rights.includes(right)) return client
  return err({
    code: "right_missing",
    message: `The client ${client.value.name} doesn't have --right ${right}.`,
    data: { right },
  })
}

/** What the choice of a key depends on. */
type KeyAsk = {
  readonly client: Client
  /** The header `Countersign-Key`. */
  readonly header: string | undefined
  /** Who signs and for whom, as far as the body says it. */
  readonly split: Readonly<{ signer: Address | undefined; target: Address | undefined }>
  readonly endpoint: Endpoint
  readonly signing: Signing
}

/**
 * Picks the key: the header, else the body's `signer_address`, else the client's first. The choice
 * never depends on the endpoint; whether the key may do this comes after it, and no policy can lift
 * what is refused here.
 */
export function pickKey(
  ask: KeyAsk,
  set: ActiveSet,
): Result<{ readonly key: KeyEntry; readonly parties: Parties }, Refusal> {
  const chosen = chooseKey(ask, set)
  if (!chosen.ok) return chosen
  const key = chosen.value
  const refusal = refuseKey(ask, key, set) ?? refuseTarget(ask, key)
  if (refusal !== undefined) return err(refusal)
  return ok({ key, parties: { signer: key.address, target: ask.split.target } })
}

function chooseKey({ client, header, split }: KeyAsk, set: ActiveSet): Result<KeyEntry, Refusal> {
  const own = client.keys.flatMap((name) => set.keys.get(name) ?? [])
  const byAddress = own.find((key) => key.address === split.signer)
  const bySigner = split.signer === undefined ? client.keys[0] : byAddress?.name
  const named = header === undefined ? bySigner : ownKeyNamed(header, client)
  const key = own.find((candidate) => candidate.name === named)
  if (key === undefined) return err(keyNotAllowed(client.name, header ?? null))
  if (split.signer !== undefined && split.signer !== key.address) {
    const message = `signer_address isn't the address of the key ${key.name} that Countersign-Key names; leave one of them out`
    return err(invalidRequest([{ path: "/signer_address", rule: "signer_disagrees", message }]))
  }
  return ok(key)
}

/** The key of a client that a bot means by a name: on paper the live key's means its paper key. */
export function ownKeyNamed(name: string, { keys }: Client): string | undefined {
  return keys.find((key) => key === name) ?? keys.find((key) => standsFor(key) === name)
}

function refuseKey(
  { client, endpoint, signing }: KeyAsk,
  { name: key, network, approval, role }: KeyEntry,
  set: ActiveSet,
): Refusal | undefined {
  if (network !== set.profile.network) {
    const message =
      standsFor(key) === undefined
        ? `The key ${key} was made for another network than the one in venue.yaml; use a key made for this one.`
        : `The key ${key} is for paper, and no venue-paper.yaml of its network is in force; the operator runs countersign sandbox --paper, then countersign policy reload.`
    return { code: "wrong_network", message, data: { key } }
  }
  if (!set.usableKeys.has(key)) {
    const message = `The key ${key} is ${approval} and never signs again; GET /whoami lists the client's keys.`
    return { code: "agent_revoked", message, data: { key } }
  }
  if (signing.type === "B" && role !== "wallet") {
    const message = `${endpoint.id} is signed by a wallet key, and ${key} is an agent key; name a wallet key in Countersign-Key.`
    return { code: "wallet_key_required", message, data: { key } }
  }
  if (role === "wallet" && !client.allow_type_b) {
    const message = `${key} is a wallet key, and the client ${client.name} doesn't have --allow-type-b.`
    return { code: "key_not_allowed", message, data: { key } }
  }
  return undefined
}

function refuseTarget({ signing, split }: KeyAsk, key: KeyEntry): Refusal | undefined {
  const { target } = split
  if (target === undefined) return undefined
  if (signing.type === "B") {
    const message =
      "leave target_address out; an account operation acts for the wallet that signs it"
    return invalidRequest([{ path: "/target_address", rule: "target_on_type_b", message }])
  }
  if (target === key.address || key.targets.includes(target)) return undefined
  return {
    code: "target_not_allowed",
    message: `The key ${key.name} may not operate ${target}.`,
    data: { key: key.name, target },
  }
}

/** The refusal of a key that a client named and may not use; `null` where it gave an address. */
export function keyNotAllowed(client: string, key: string | null): Refusal {
  const which = key === null ? "the key with this signer_address" : `a key named ${key}`
  return {
    code: "key_not_allowed",
    message: `The client ${client} may not use ${which}; GET /whoami lists its keys.`,
    data: { key },
  }
}
