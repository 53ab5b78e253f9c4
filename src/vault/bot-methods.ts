import type { BotParams, BotResults } from "../link/calls/methods.ts"
import type { Refusal } from "../contract/refusal.ts"
import { openSigning, signingNow } from "./status/signing.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { Profile } from "../venue/profile.ts"
import { isPaperKey, viewOf } from "./active/active-set.ts"
import { accountMethods, beginFed, takeFed } from "./operator/account-methods.ts"
import { gateSettingsOf } from "./config/load-files.ts"
import { wasChanged } from "./ledger/bindings.ts"
import type { Client, ClientRight } from "./ledger/records/bindings.ts"
import { asRequest } from "./ledger/found-records.ts"
import type { FoundRecord } from "./ledger/store/store.ts"
import { limitsOfClient } from "./operator/limit-methods.ts"
import { feedPrices, beginRound, feedPolled } from "./operator/price-methods.ts"
import { coveredFor } from "./policy/judge.ts"
import { requestStages } from "./process/stages.ts"
import { admitRead, readBudgetSpent } from "./request/admit-read.ts"
import { clientWithRight, hashToken, identify } from "./request/authorize.ts"
import { checkByCheck, checkRequest, shadowRequest } from "./request/check-request.ts"
import { stopThrown } from "./request/judge-request.ts"
import { outboxMethods, settleRecord } from "./request/settle-record.ts"
import { refuse } from "./request/refuse.ts"
import { signBatch } from "./request/sign-batch.ts"
import { signRequest } from "./request/sign-request.ts"
import { budgetsOfClient } from "./request/spending.ts"
import { measuresOf } from "./status/facts.ts"
import { decidedForGate, factsForGate, heldForGate, noteUnknown } from "./status/for-gate.ts"
import { guardUses } from "./status/guard-use.ts"
import { keyView, recordView } from "./status/views.ts"
import { freezeForClient } from "./stops/freeze-methods.ts"
import { heartbeat } from "./stops/heartbeat.ts"
import type { Vault } from "./vault.ts"

/** The bot socket's calls. None of them changes a policy, a key or a client. */
export function botMethods(vault: Vault) {
  return {
    sign: (params: BotParams["sign"]) => told(signRequest(params, vault)),
    signBatch: (params: BotParams["signBatch"]) => told(signBatch(params, vault)),
    check: async (params: BotParams["check"]) => {
      if (params.shadow === true) return shadowRequest(params, vault)
      return params.check === undefined ? checkRequest(params, vault) : checkByCheck(params, vault)
    },
    report: (params: BotParams["report"]) => report(params, vault),
    whoami: ({ token }: BotParams["whoami"]) =>
      served(identify(token, vault), (client) => whoami(client, vault)),
    record: (params: BotParams["record"]) => ownRecord(params, vault),
    records: ({ token, ...search }: BotParams["records"]) =>
      served(identify(token, vault), (client) => ownRecords(search, client, vault)),
    freeze: ({ token, body }: BotParams["freeze"]) =>
      served(clientWithRight(token, "freeze", vault), (by) => freezeForClient(body, by, vault)),
    heartbeat: ({ token, body }: BotParams["heartbeat"]) =>
      served(clientWithRight(token, "heartbeat", vault), (of) => heartbeat(body, of, vault)),
    ...outboxMethods(vault),
    read: (params: BotParams["read"]) => Promise.resolve(admitRead(params, vault)),
    readBudgetSpent: (params: BotParams["readBudgetSpent"]) =>
      Promise.resolve(readBudgetSpent(params, vault)),
    ...feedMethods(vault),
    pricePoll: () => Promise.resolve(beginRound(vault)),
    polledPrices: (params: BotParams["polledPrices"]) => anew(() => feedPolled(params, vault)),
    ...accountMethods(vault),
    limits: ({ token }: BotParams["limits"]) =>
      served(identify(token, vault), (client) => limits(client, vault)),
    metrics: ({ token }: BotParams["metrics"]) =>
      served(clientWithRight(token, "metrics", vault), async () => ({
        kind: "answer" as const,
        measures: await measuresOf(vault),
      })),
    health: () => Promise.resolve(health(vault)),
    gateSettings: () => Promise.resolve(gateSettingsOf(vault.active())),
    tokens: () => Promise.resolve({ digests: tokenDigests(vault) }),
    ...tellMethods(vault),
  }
}

/** So many fit a line of the socket. Those of further clients are as good; their calls have fewer turns. */
const maxDigests = 3_000

function tokenDigests(vault: Pick<Vault, "active">): readonly string[] {
  return vault.active().clientByTokenHash.keys().take(maxDigests).toArray()
}

/** What the gate tells people of. */
function tellMethods(vault: Vault) {
  return {
    alarmFacts: (params: BotParams["alarmFacts"]) => Promise.resolve(factsForGate(params, vault)),
    heldInFull: () => Promise.resolve(heldForGate(vault)),
    decided: () => Promise.resolve(decidedForGate(vault)),
  }
}

/** What clients with the right to it feed. */
function feedMethods(vault: Vault) {
  const by = (token: string, right: ClientRight) => clientWithRight(token, right, vault)
  return {
    prices: ({ token, body }: BotParams["prices"]) =>
      anew(() => served(by(token, "prices"), (client) => feedPrices(body, client, vault))),
    beginAccount: ({ token, body }: BotParams["beginAccount"]) =>
      served(by(token, "account"), (client) => beginFed(body, client, vault)),
    account: ({ token, body }: BotParams["account"]) =>
      served(by(token, "account"), (client) => takeFed(body, client, vault)),
  }
}

/** How often hosts that feed the same price at once may come before each other. */
const looks = 5

/** Looks anew, also at who asks, where another host changed meanwhile what the answer was made of. */
async function anew<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let left = looks; ; left -= 1) {
    try {
      return await ask()
    } catch (error) {
      if (left === 1 || !wasChanged(error)) throw error
    }
  }
}

/** What is answered of a client or a record that was found, or why none was. */
async function served<Found, Answer>(
  found: Result<Found, Refusal>,
  answer: (found: Found) => Answer | Promise<Answer>,
) {
  return found.ok ? answer(found.value) : refuse(found.error, null)
}

async function told<Answer>(signing: Promise<Answer>) {
  const answer = await signing.catch(stopped)
  requestStages.publish({ stage: "answered" })
  return answer
}

/** What the ledger refused for a stop is told as that stop. @throws what it was else. */
function stopped(error: unknown) {
  const stop = stopThrown(error)
  if (stop === undefined) throw error
  return refuse(stop, null)
}

/**
 * Takes the gate's word on what became of a request, also when the token has ended since it was signed. It adds
 * information, never headroom.
 */
async function report(
  { token, record, outcome, venueClock }: BotParams["report"],
  vault: Vault,
): Promise<BotResults["report"]> {
  const tokenHash = hashToken(token)
  const holder = vault.active().clientByTokenHash.get(tokenHash) ?? vault.endedTokens.get(tokenHash)
  const client = holder === undefined ? identify(token, vault) : ok(holder)
  const found = await findRecord(client, record, vault)
  if (!found.ok) return refuse(found.error, null)
  const request = asRequest(found.value)
  const isPaper = viewOf(request.row.key, vault.active()).profile.isPaper
  if (venueClock !== undefined && !isPaper) vault.venueClock.tell(venueClock)
  if (outcome.kind === "unknown") noteUnknown(record, vault)
  await settleRecord(request, outcome, vault)
  return { kind: "answer" }
}

/** What it signs; nothing where it couldn't record it. Waits for no commit. */
function health(vault: Vault): BotResults["health"] {
  try {
    vault.ledger.assertAnswers()
    return openSigning(signingNow(vault))
  } catch {
    return { signs: "nothing", reasons: ["ledger_unavailable"] }
  }
}

function whoami(client: Client, vault: Vault): BotResults["whoami"] {
  const { name, keys, rights, allow_type_b, forward_only } = client
  const set = vault.active()
  const { profile } = viewOf(keys[0], set)
  const { operations, reads } = coveredFor(set.policies, client)
  const known = profile.endpoints.values().filter(({ signing }) => signing.known)
  return {
    kind: "answer",
    whoami: {
      client: name,
      keys: keys.flatMap((key) => set.keys.get(key) ?? []).map((key) => keyView(key, vault)),
      default_key: keys[0],
      rights,
      ...{ allow_type_b, forward_only: forward_only ?? false, paper: isPaperKey(keys[0], set) },
      symbols: [...profile.symbols.byId.values().map(({ id, name }) => ({ symbol_id: id, name }))],
      operations: [...known.map(({ id }) => id).filter((id) => operations.has(id))],
      reads,
      ...networkOf(profile),
    },
  }
}

/** What account operations must say of the network; nothing where venue.yaml has yet to tell it. */
function networkOf({ typeB, endpoints }: Profile) {
  const isKnown = endpoints.get("approveAgent")?.signing.known === true
  return {
    service_chain: isKnown ? typeB.serviceChain : null,
    signature_chain_ids: isKnown ? typeB.signatureChainIds : [],
  }
}

function limits(client: Client, vault: Vault): BotResults["limits"] {
  return {
    kind: "answer",
    limits: limitsOfClient(client, vault),
    guards: guardUses(vault, client.name),
    budgets: budgetsOfClient(client, vault),
  }
}

async function ownRecord(
  { token, id }: BotParams["record"],
  vault: Vault,
): Promise<BotResults["record"]> {
  const found = await findRecord(identify(token, vault), id, vault)
  return served(found, (own) => ({ kind: "answer", view: recordView(own, vault.now()) }))
}

async function ownRecords(
  search: Pick<BotParams["records"], "by" | "value">,
  { name: client }: Client,
  vault: Vault,
): Promise<BotResults["records"]> {
  const found = await vault.ledger.records({ client, ...search })
  return { kind: "answer", records: found.map((each) => recordView(each, vault.now())) }
}

/** Another client's record is as unknown as one that doesn't exist. */
async function findRecord(
  client: Result<Client, Refusal>,
  id: string,
  vault: Vault,
): Promise<Result<FoundRecord, Refusal>> {
  if (!client.ok) return client
  const record = await vault.ledger.record(id)
  if (record?.row.client === client.value.name) return ok(record)
  const archive = record === undefined ? await vault.ledger.audit.archiveOf(id) : undefined
  const message =
    archive === undefined
      ? "This client has no record with this id; ids come in the header Countersign-Record."
      : `What was recorded at the time of this id is archived, in ${archive}; ask the operator.`
  return err({ code: "unknown_record", message, data: null })
}
