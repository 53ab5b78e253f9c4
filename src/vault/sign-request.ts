import type { BotParams, BotResults } from "../link/methods.ts"
import type { Refusal } from "../link/refusal.ts"
import type { ActiveSet } from "./active-set.ts"
import { authenticate } from "./authenticate.ts"
import type { Client } from "./bindings.ts"
import { digestOf, signedBody } from "./fill-in.ts"
import type { RequestEntry } from "./ledger/ledger.ts"
import { bindingOf, holdRequest, releaseFor } from "./hold-request.ts"
import { judgeRequest } from "./judge-request.ts"
import { readRequest, type ReadRequest } from "./read-request.ts"
import { keyLocked, recordRefusal, refuse } from "./refuse.ts"
import type { Vault } from "./vault.ts"

/**
 * Authenticates, parses, validates, picks the key, judges by policy, reserves nonce, limits and
 * release, records, signs, checks, answers — in that order.
 *
 * From judging to reserving there is no `await`, so no other request slips in between. `reserve`
 * resolves once the record is durable: a crash can leave a record without a signature, never a
 * signature without its record. A throw anywhere means that no signature leaves.
 */
export async function signRequest(
  call: BotParams["sign"],
  vault: Vault,
): Promise<BotResults["sign"]> {
  const { ledger, keyring, clock } = vault
  const nowMs = clock.nowMs()
  const set = vault.active()

  const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return refuse(client.error, null)
  const refused = (refusal: Refusal) =>
    recordRefusal(refusal, { client: client.value, call, set, nowMs, ledger })

  const read = readRequest(call, client.value, set)
  if (!read.ok) return refused(read.error)
  const { value: request } = read

  const decision = judgeRequest(request, client.value, { set, nowMs })
  if (decision.kind === "refuse") return refused(decision.refusal)
  if (keyring.isLocked(request.key.name)) return refused(keyLocked(request.key.name))
  const entry = entryOf(request, { client: client.value, set, rule: decision.rule, call })
  const at = { ledger, nowMs }
  const release = releaseFor(decision, entry, at)
  if (release.kind === "missing") return refused(await holdRequest(release.held, entry, at))

  const reserved = await ledger.reserve({
    signer: request.parties.signer,
    entry,
    claims: decision.claims,
    sizes: decision.sizes,
    release: release.use,
    ttlMs: request.ttlMs,
    nowMs,
  })
  if (reserved.kind === "refused") return refused(reserved.refusal)

  const filling = { validity: reserved, profile: set.profile }
  // The keyring releases a signature only after it recovered the signer from it.
  const signature = keyring.sign(request.key.name, digestOf(request, filling))
  return {
    kind: "answer",
    record: reserved.record,
    path: request.endpoint.path,
    body: signedBody(request, filling, signature),
    expiresAfter: reserved.expiresAfterMs,
  }
}

type Allowed = {
  readonly client: Client
  readonly set: ActiveSet
  readonly rule: string
  readonly call: BotParams["sign"]
}

function entryOf(request: ReadRequest, { client, set, rule, call }: Allowed): RequestEntry {
  return {
    ...bindingOf(request, client, set),
    path: request.endpoint.path,
    policyHash: set.policyHash,
    rule,
    purpose: call.purpose,
  }
}
