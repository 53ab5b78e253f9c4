import { isDeepStrictEqual } from "node:util"

import type { BotResults } from "../link/methods.ts"
import type { Refusal } from "../link/refusal.ts"
import type { Signed } from "../link/signed.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { ActiveSet } from "./active-set.ts"
import { authenticate } from "./authenticate.ts"
import type { Client } from "./bindings.ts"
import { bindingOf, holdRequest, releaseFor } from "./hold-request.ts"
import { judgeRequest } from "./judge-request.ts"
import type { Keyring } from "./keyring/keyring.ts"
import type { Idempotency, IdempotencyKey, KeyUse } from "./ledger/idempotency.ts"
import type { RequestEntry } from "./ledger/ledger.ts"
import { readRequest, type ReadRequest, type SignCall } from "./read-request.ts"
import { refuseNow } from "./refuse-now.ts"
import { recordRefusal, refuse } from "./refuse.ts"
import { repeatRequest } from "./repeat-request.ts"
import { bindingHash, clientOrderIdOf, keyOf, keyToLookUp } from "./request-key.ts"
import { signReserved, type Taken } from "./sign-reserved.ts"
import { spendingOf } from "./spending.ts"
import { requestStage } from "./stages.ts"
import type { Vault } from "./vault.ts"

/**
 * Authenticates, parses, validates, picks the key, judges by policy, reserves nonce, limits and
 * release, records, signs, checks, answers — in that order.
 *
 * What waits comes first: the look-up of an idempotency key, if there is one. From judging to reserving there is no
 * `await`, so no other request slips in between. `reserve` resolves once the record is durable: a crash
 * can leave a record without a signature, never a signature without its record. A throw anywhere means
 * that no signature leaves.
 */
export async function signRequest(call: SignCall, vault: Vault): Promise<BotResults["sign"]> {
  const { ledger, clock } = vault
  const key = keyToLookUp(call, vault)
  const use = key === undefined ? unused : await ledger.keyUse(key, clock.nowMs())
  const nowMs = clock.nowMs()
  const set = vault.active()

  const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return refuse(client.error, null)
  return signOf({ client: client.value, call, set, nowMs, key, use }, vault)
}

/** What an idempotency key was used for where there is none. */
export const unused: KeyUse = { kind: "unused" }

/** What a client asks at one moment, under the files that are in force then. */
export type Asking = {
  readonly client: Client
  readonly call: SignCall
  readonly set: ActiveSet
  readonly nowMs: number
  /** The idempotency key that was looked up, and what it was used for. */
  readonly key: IdempotencyKey | undefined
  readonly use: KeyUse
}

/**
 * The part of {@link signRequest} from parsing on, for a client that is known. What is reserved is reserved
 * within this call itself, before it gives way for the first time.
 */
export async function signOf(asking: Asking, vault: Vault): Promise<BotResults["sign"]> {
  const { call, client, set } = asking
  const read = readRequest(call, client, set)
  requestStage("parsed")
  const answer = read.ok ? await judgeAndSign({ ...asking, request: read.value }, vault) : read
  if (!answer.ok) return recordRefusal(answer.error, { ...asking, ledger: vault.ledger })
  return answer.value === "outdated" ? signRequest(call, vault) : answer.value
}

type Asked = Asking & { readonly request: ReadRequest }

/** `outdated`: since the look-up of its key another request took it, or other files are in force. */
type Answer = Result<BotResults["sign"] | "outdated", Refusal>

async function judgeAndSign(asked: Asked, vault: Vault): Promise<Answer> {
  const { client, call, set, nowMs, request, key, use } = asked
  const { ledger, keyring } = vault
  if (!isDeepStrictEqual(keyOf(call, client, request), key)) return ok("outdated")
  if (use.kind === "kept") return repeatRequest(use.request, asked, vault)

  const decision = judgeRequest(request, client, { set, nowMs })
  requestStage("judged")
  if (decision.kind === "refuse") return err(decision.refusal)
  const refusal = refuseNow(request, set, vault)
  if (refusal !== undefined) return err(refusal)
  const entry = entryOf(asked, decision.rule)
  const at = { ledger, nowMs }
  const release = releaseFor(decision, entry, at)
  if (release.kind === "missing") return err(await holdRequest(release.held, entry, at))

  const reserved = await ledger.reserve({
    signer: request.parties.signer,
    entry,
    claims: decision.claims,
    sizes: decision.sizes,
    release: release.use,
    spending: spendingOf(request, client.name, set),
    ttlMs: request.ttlMs,
    nowMs,
  })
  if (reserved.kind === "refused") return err(reserved.refusal)
  if (reserved.kind === "repeat") return ok("outdated")
  requestStage("durable")
  return ok({ kind: "answer", ...signFirst(asked, reserved, keyring) })
}

function signFirst({ request, set, key }: Asked, taken: Taken, keyring: Keyring): Signed {
  const signed = signReserved(request, taken, { keyring, profile: set.profile })
  return key === undefined ? signed : { ...signed, repeat: "first" }
}

function entryOf(asked: Asked, rule: string): RequestEntry {
  const { request, client, set, call } = asked
  return {
    ...bindingOf(request, client, set),
    path: request.endpoint.path,
    policyHash: set.policyHash,
    rule,
    purpose: call.purpose,
    clientOrderId: clientOrderIdOf(request),
    idempotency: idempotencyOf(asked),
  }
}

function idempotencyOf({ key, use, ...asked }: Asked): Idempotency | undefined {
  if (key === undefined) return undefined
  const replaces = use.kind === "ended" ? use.record : undefined
  return { by: key.by, key: key.key, binding: bindingHash(asked.request, asked), replaces }
}
