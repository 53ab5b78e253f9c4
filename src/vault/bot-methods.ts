import type { BotParams, BotResults } from "../link/calls/methods.ts"
import type { Refusal } from "../link/views/refusal.ts"
import { openSigning } from "../link/views/signing.ts"
import { Fault } from "../std/fault.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { Profile } from "../venue/profile.ts"
import { gateSettingsOf } from "./active/gate-settings.ts"
import type { Vault } from "./core/vault.ts"
import { keyView, recordView } from "./core/views.ts"
import type { StoredRecord } from "./ledger/records/entries.ts"
import { limitsOfClient } from "./operator/limit-methods.ts"
import { feedPrices } from "./operator/price-methods.ts"
import { requestStages } from "./process/stages.ts"
import { admitRead, readBudgetSpent } from "./request/admit-read.ts"
import { identify } from "./request/authenticate.ts"
import { checkRequest, shadowRequest } from "./request/check-request.ts"
import { stopsNow } from "./request/judge-request.ts"
import { outboxMethods } from "./request/outbox-methods.ts"
import { refuse } from "./request/refuse.ts"
import { settleRecord } from "./request/settle-record.ts"
import { signBatch } from "./request/sign-batch.ts"
import { signRequest } from "./request/sign-request.ts"
import { budgetsOfClient } from "./request/spending.ts"
import { tellAlarms } from "./status/alarms.ts"
import { showMetrics } from "./status/show-metrics.ts"
import { signingNow } from "./status/signing.ts"
import { freezeForClient } from "./stops/freeze-methods.ts"
import { heartbeat } from "./stops/heartbeat.ts"

/** The bot socket's calls. None of them changes a policy, a key or a client. */
export function botMethods(vault: Vault) {
  return {
    sign: (params: BotParams["sign"]) => told(signRequest(params, vault), vault),
    signBatch: (params: BotParams["signBatch"]) => told(signBatch(params, vault), vault),
    check: (params: BotParams["check"]) =>
      params.shadow === true
        ? shadowRequest(params, vault)
        : Promise.resolve(checkRequest(params, vault)),
    report: (params: BotParams["report"]) => report(params, vault),
    whoami: (params: BotParams["whoami"]) => Promise.resolve(whoami(params, vault)),
    record: (params: BotParams["record"]) => ownRecord(params, vault),
    records: (params: BotParams["records"]) => ownRecords(params, vault),
    freeze: (params: BotParams["freeze"]) => freezeForClient(params, vault),
    heartbeat: (params: BotParams["heartbeat"]) => heartbeat(params, vault),
    ...outboxMethods(vault),
    read: (params: BotParams["read"]) => Promise.resolve(admitRead(params, vault)),
    readBudgetSpent: (params: BotParams["readBudgetSpent"]) =>
      Promise.resolve(readBudgetSpent(params, vault)),
    prices: (params: BotParams["prices"]) => feedPrices(params, vault),
    limits: (params: BotParams["limits"]) => Promise.resolve(limits(params, vault)),
    metrics: (params: BotParams["metrics"]) => showMetrics(params, vault),
    health: () => health(vault),
    gateSettings: () => Promise.resolve(gateSettingsOf(vault.active())),
    tokens: () => Promise.resolve({ digests: tokenDigests(vault) }),
    alarms: () => Promise.resolve(tellAlarms(vault)),
  }
}

/** So many fit a line of the socket. Those of further clients are as good; their calls have fewer turns. */
const maxDigests = 3_000

function tokenDigests(vault: Pick<Vault, "active">): readonly string[] {
  return vault.active().clientByTokenHash.keys().take(maxDigests).toArray()
}

async function told<Answer>(signing: Promise<Answer>, vault: Vault) {
  const answer = await signing.catch((error: unknown) => stopped(error, vault))
  requestStages.publish({ stage: "answered" })
  return answer
}

/** What the ledger refused for a stop that holds now is told as that stop. @throws what it was else. */
function stopped(error: unknown, vault: Vault) {
  const stop = stopsNow(vault, vault.active()).find(
    ({ code }) => error instanceof Fault && error.code === code,
  )
  if (stop === undefined) throw error
  return refuse(stop, null)
}

/** Takes the gate's word on what became of a request. It adds information, never headroom. */
async function report(
  { token, record, outcome, venueClock }: BotParams["report"],
  vault: Vault,
): Promise<BotResults["report"]> {
  const found = await findRecord(token, record, vault)
  if (!found.ok) return refuse(found.error, null)
  if (venueClock !== undefined) vault.venueClock.tell(venueClock)
  await settleRecord(found.value, outcome, vault)
  return { kind: "answer" }
}

/** What it signs; nothing where it couldn't record it. */
async function health(vault: Vault): Promise<BotResults["health"]> {
  try {
    await vault.ledger.count()
    return openSigning(signingNow(vault))
  } catch {
    return { signs: "nothing", reasons: ["ledger_unavailable"] }
  }
}

function whoami({ token }: BotParams["whoami"], vault: Vault): BotResults["whoami"] {
  const client = identify(token, vault)
  if (!client.ok) return refuse(client.error, null)
  const { name, keys, rights, allowTypeB } = client.value
  const set = vault.active()
  return {
    kind: "answer",
    whoami: {
      client: name,
      keys: keys.flatMap((key) => set.keys.get(key) ?? []).map((key) => keyView(key, vault)),
      default_key: keys[0],
      rights,
      allow_type_b: allowTypeB,
      ...networkOf(set.profile),
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

function limits({ token }: BotParams["limits"], vault: Vault): BotResults["limits"] {
  const client = identify(token, vault)
  if (!client.ok) return refuse(client.error, null)
  return {
    kind: "answer",
    limits: limitsOfClient(client.value, vault),
    budgets: budgetsOfClient(client.value, vault),
  }
}

async function ownRecord(
  { token, id }: BotParams["record"],
  vault: Vault,
): Promise<BotResults["record"]> {
  const found = await findRecord(token, id, vault)
  return found.ok ? { kind: "answer", view: recordView(found.value) } : refuse(found.error, null)
}

async function ownRecords(
  { token, by, value }: BotParams["records"],
  vault: Vault,
): Promise<BotResults["records"]> {
  const client = identify(token, vault)
  if (!client.ok) return refuse(client.error, null)
  const search = { client: client.value.name, by, value }
  const found = await vault.ledger.records(search, vault.now())
  return { kind: "answer", records: found.map(recordView) }
}

/** Another client's record is as unknown as one that doesn't exist. */
async function findRecord(
  token: string,
  id: string,
  vault: Vault,
): Promise<Result<StoredRecord, Refusal>> {
  const client = identify(token, vault)
  if (!client.ok) return client
  const record = await vault.ledger.record(id, vault.now())
  if (record?.client === client.value.name) return ok(record)
  const archive = record === undefined ? await vault.ledger.audit.archiveOf(id) : undefined
  const message =
    archive === undefined
      ? "This client has no record with this id; ids come in the header Countersign-Record."
      : `What was recorded at the time of this id is archived, in ${archive}; ask the operator.`
  return err({ code: "unknown_record", message, data: null })
}
