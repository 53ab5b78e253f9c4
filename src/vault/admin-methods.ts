import type { AdminParams, AdminResults } from "../link/calls/methods.ts"
import { withSecret } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"
import { workBoundsSeconds } from "../std/histogram.ts"
import { version } from "../std/version.ts"
import type { ActiveSet, Acts } from "./active/active-set.ts"
import { agentMethods } from "./agents/agent-methods.ts"
import { gateSettingsOf } from "./config/load-files.ts"
import { asRequest } from "./ledger/found-records.ts"
import { operatorName } from "./ledger/records/bindings.ts"
import { auditMethods } from "./operator/audit-methods.ts"
import { clientMethods, namedClient } from "./operator/client-methods.ts"
import {
  fileMethods,
  filesDiffer,
  reload as reloadFiles,
  withFilesOnDisk,
} from "./operator/files-in-force.ts"
import { grantMethods } from "./operator/grant-methods.ts"
import { decideHold } from "./operator/hold-methods.ts"
import { keyMethods } from "./operator/key-methods.ts"
import { guardMethods } from "./operator/guard-methods.ts"
import { limitMethods } from "./operator/limit-methods.ts"
import { confirmPrices, setPrice } from "./operator/price-methods.ts"
import { safetyMethods } from "./operator/safety-methods.ts"
import { explainAt } from "./request/check-request.ts"
import { agentOf, settleRecord } from "./request/settle-record.ts"
import { budgetsNow, factsOf, fullest, usedShare } from "./status/facts.ts"
import { listPrices } from "./status/fed-prices.ts"
import { notifyStand } from "./status/for-gate.ts"
import { listHolds, symbolsView, waitingHolds } from "./status/holds.ts"
import { guardUses } from "./status/guard-use.ts"
import { listLimits, listRaises } from "./status/limit-use.ts"
import { signingNow } from "./status/signing.ts"
import { clientView, keyView, refusalView } from "./status/views.ts"
import { vaultWarnings } from "./status/warnings.ts"
import { freezeMethods } from "./stops/freeze-methods.ts"
import { panicForOperator } from "./stops/panic.ts"
import type { Vault } from "./vault.ts"

/** The admin socket's calls, and the same ones for a CLI that opened the vault itself. `reload` tells systemd too. */
export function adminMethods(vault: Vault, reload = (hash?: string) => reloadFiles(vault, hash)) {
  return {
    ...keyMethods(vault),
    ...agentMethods(vault),
    settleOperation: (params: AdminParams["settleOperation"]) => settleOperation(params, vault),
    ...clientMethods(vault),
    ...freezeMethods(vault),
    panic: (params: AdminParams["panic"]) => panicForOperator(params, vault),
    ...auditMethods(vault),
    ...safetyMethods(vault),
    ...limitMethods(vault),
    ...guardMethods(vault),
    health: () => Promise.resolve({}),
    lock: async () => {
      await vault.lock("operator")
      return { state: "locked" as const, curve: vault.curve.name }
    },
    unlock: (params: AdminParams["unlock"]) => unlock(params, vault),
    setPrice: (params: AdminParams["setPrice"]) => setPrice(params, vault),
    confirmPrices: (params: AdminParams["confirmPrices"]) => confirmPrices(params, vault),
    listPrices: () => Promise.resolve(listPrices(vault.active(), vault.now())),
    listHolds: () => Promise.resolve(listHolds(vault)),
    decideHold: (params: AdminParams["decideHold"]) => decideHold(params, vault),
    ...grantMethods(vault),
    listLimits: () => Promise.resolve(listLimits(vault)),
    listGuards: () => Promise.resolve(guardUses(vault)),
    listRaises: () => Promise.resolve(listRaises(vault)),
    reload: ({ hash }: AdminParams["reload"]) => reload(hash),
    ...fileMethods(vault),
    upstream: () => Promise.resolve(gateSettingsOf(vault.active()).upstream),
    notify: (params: AdminParams["notify"]) => Promise.resolve(notifyStand(params, vault)),
    explain: (params: AdminParams["explain"]) => explain(params, vault),
    ledgerServer: async () => ({ said: (await vault.ledger.replica?.look()) ?? null }),
    status: () => status(vault),
    facts: () => Promise.resolve(factsOf(vault)),
    listSymbols: () => Promise.resolve(symbolsInForce(vault.active())),
  }
}

function symbolsInForce(set: ActiveSet): AdminResults["listSymbols"] {
  return { ...symbolsView(set), policy_hash: set.policyHash }
}

/** What would become of a client's request. @throws {Fault} `name_unknown`; of files on disk as their reload. */
async function explain(
  { client, at, onDisk, ...call }: AdminParams["explain"],
  vault: Vault,
): Promise<AdminResults["explain"]> {
  const under = onDisk === true ? await withFilesOnDisk(vault) : vault
  return explainAt({ ...call, at: at ?? vault.now() }, namedClient(client, under.active()), under)
}

/** As the gate's report for a bot, of what the operator sent. @throws {Fault} `name_unknown`. */
async function settleOperation(
  { record: id, outcome }: AdminParams["settleOperation"],
  vault: Vault,
): Promise<AdminResults["settleOperation"]> {
  const record = await vault.ledger.record(id)
  if (record?.row.client !== operatorName) {
    throw new Fault("name_unknown", "The operator has sent nothing with this record.")
  }
  const request = asRequest(record)
  await settleRecord(request, outcome, vault)
  const key = agentOf(request.row, vault.active())
  return { key: key === undefined ? null : keyView(key, vault) }
}

async function unlock(
  { secret }: AdminParams["unlock"],
  vault: Vault,
): Promise<AdminResults["unlock"]> {
  if (secret === undefined) await vault.unlock()
  else await withSecret(secret, () => vault.unlock(secret))
  const names = [...vault.active().usableKeys.keys()]
  const unlocked = names.filter((name) => !vault.keyring.isLocked(name))
  return { keys: unlocked.length, state: signingNow(vault) }
}

/** How many refusals `status` shows. */
const shownRefusals = 5

/** Of each list of `status` that is as long as an operator makes it: all together they fit a line of the socket. */
const shownBytes = 24 * 1_024

/** The first of a list, as many as fit. */
function first<Item>(items: readonly Item[]): readonly Item[] {
  let left = shownBytes
  return items.filter((item) => (left -= Buffer.byteLength(JSON.stringify(item))) >= 0)
}

async function status(vault: Vault): Promise<AdminResults["status"]> {
  const differ = await filesDiffer(vault)
  const set = vault.active()
  const { startedBy } = vault.surroundings
  return {
    at: vault.now(),
    version,
    state: signingNow(vault),
    policy_hash: set.policyHash,
    files_differ: differ,
    network: set.profile.network,
    records: await vault.ledger.count(),
    keys: first([...set.keys.values()].map((key) => keyView(key, vault))),
    clients: first(set.clients.map((client) => clientView(client, vault.now()))),
    freezes: first(set.freezes),
    limits: fullest(listLimits(vault), usedShare),
    holds: waitingHolds(vault),
    budgets: first(budgetsNow(set, vault.ledger.budgets)),
    decided: vault.metrics.decisions.totals(),
    signing: { bounds: workBoundsSeconds, counts: vault.metrics.stages.read().record.counts },
    last_refusals: (await vault.ledger.recentRefusals(shownRefusals)).map(refusalView),
    pid: process.pid,
    started_by: startedBy === "command" ? null : startedBy,
    warnings: first(vaultWarnings(vault)),
  }
}

const unnoted: readonly (keyof AdminParams)[] = [
  // They change nothing.
  ...(["health", "status", "facts", "explain", "upstream", "notify"] as const),
  ...([
    "listKeys",
    "listClients",
    "listPrices",
    "listHolds",
    "listGrants",
    "listLimits",
    "listGuards",
    "listRaises",
    "listSymbols",
  ] as const),
  ...(["filesInForce", "ledgerHead", "auditArchivable", "ledgerServer"] as const),
  // Steps of what is recorded when it has happened.
  ...(["auditCheckpoint", "auditTrim"] as const),
]

type Method = (params: never) => unknown

/**
 * The admin socket's methods, each of which first records that it was asked for, and by whom: what the command said, else
 * `fallback`. A note, not a proof. A ledger that can't take it doesn't hold the call up, for keys must be locked then too.
 */
export function notedMethods<Methods extends Readonly<Record<string, Method>>>(
  methods: Methods,
  { act }: Pick<Acts, "act">,
  fallback: string,
): Methods {
  const noted = Object.entries(methods).map(([method, run]): readonly [string, Method] => {
    if (unnoted.some((name) => name === method)) return [method, run]
    const runNoted = (params: never, by = fallback): unknown => {
      act({ act: "asked", method, by }).catch(() => undefined)
      return run(params)
    }
    return [method, runNoted]
  })
  return Object.fromEntries(noted) as Methods // the same names and types
}
