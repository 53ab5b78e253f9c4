import type { AdminParams, AdminResults } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { acceptPolicy, candidate, rollback } from "./attestation.ts"
import { hashToken, makeToken } from "./authenticate.ts"
import type { Client } from "./bindings.ts"
import { explainRequest } from "./check-request.ts"
import { decideHold, listHolds } from "./hold-methods.ts"
import { keyMethods } from "./key-methods.ts"
import { listLimits, raiseLimit } from "./limit-methods.ts"
import { policiesFor } from "./policies-for.ts"
import { describePolicy } from "./policy/describe.ts"
import { listPrices, setPrice } from "./price-methods.ts"
import { reservedNames } from "./reference-prices.ts"
import { replay } from "./replay.ts"
import { reload } from "./reload.ts"
import type { Vault } from "./vault.ts"
import { clientView, keyView } from "./views.ts"
import { warningsOf } from "./warnings.ts"

/** The admin socket's calls, and the same ones for a CLI that opened the vault itself. */
export function adminMethods(vault: Vault) {
  return {
    ...keyMethods(vault),
    health: () => Promise.resolve({ state: "ready" as const }),
    addClient: (params: AdminParams["addClient"]) => addClient(vault, params),
    listClients: () => Promise.resolve(vault.active().clients.map(clientView)),
    setPrice: (params: AdminParams["setPrice"]) => setPrice(params, vault),
    listPrices: () => Promise.resolve(listPrices(vault)),
    listHolds: () => Promise.resolve(listHolds(vault)),
    decideHold: (params: AdminParams["decideHold"]) => decideHold(params, vault),
    listLimits: () => Promise.resolve(listLimits(vault)),
    raiseLimit: (params: AdminParams["raiseLimit"]) => raiseLimit(params, vault),
    reload: () => reload(vault),
    showPolicy: (params: AdminParams["showPolicy"]) => Promise.resolve(showPolicy(params, vault)),
    replay: (params: AdminParams["replay"]) => replay(params, vault),
    candidate: () => candidate(vault),
    acceptPolicy: (params: AdminParams["acceptPolicy"]) =>
      vault.inTurn(() => acceptPolicy(params, vault)),
    rollback: (params: AdminParams["rollback"]) => vault.inTurn(() => rollback(params, vault)),
    explain: (params: AdminParams["explain"]) => Promise.resolve(explain(params, vault)),
    status: () => status(vault),
  }
}

function explain({ client: name, ...call }: AdminParams["explain"], vault: Vault) {
  return explainRequest(call, namedClient(name, vault), vault)
}

/** What the policies that are for a client say, whichever of its keys it uses. */
function showPolicy(
  { client: name }: AdminParams["showPolicy"],
  vault: Vault,
): AdminResults["showPolicy"] {
  const client = namedClient(name, vault)
  const set = vault.active()
  const entries = policiesFor(client, set).flatMap((policy) =>
    describePolicy(policy, set.profile.symbols),
  )
  return { client: name, keys: client.keys, entries }
}

function namedClient(name: string, vault: Vault): Client {
  const client = vault.active().clients.find((each) => each.name === name)
  if (client !== undefined) return client
  throw new Fault(
    "name_unknown",
    `There is no client ${name}; countersign clients list shows them.`,
  )
}

async function addClient(
  vault: Vault,
  { name, keys, rights, allowTypeB }: AdminParams["addClient"],
): Promise<AdminResults["addClient"]> {
  const set = vault.active()
  if (reservedNames.includes(name)) {
    throw new Fault(
      "name_taken",
      `${name} means somebody else in the records; choose another name.`,
    )
  }
  if (set.clients.some((client) => client.name === name)) {
    throw new Fault("name_taken", `There is a client named ${name} already; choose another name.`)
  }
  const [first, ...others] = [...new Set(keys)]
  const unknown = keys.find((key) => !set.keys.has(key))
  if (first === undefined || unknown !== undefined) {
    const which = unknown ?? "without a name"
    throw new Fault("name_unknown", `There is no key ${which}; countersign keys list shows them.`)
  }
  const token = makeToken()
  await vault.act({
    act: "client_added",
    client: { name, tokenHash: hashToken(token), keys: [first, ...others], rights, allowTypeB },
  })
  return { name, token }
}

async function status(vault: Vault): Promise<AdminResults["status"]> {
  const set = vault.active()
  const alarm = vault.alarm()
  return {
    state: "ready",
    policy_hash: set.policyHash,
    network: set.profile.network,
    records: await vault.ledger.count(),
    keys: [...set.keys.values()].map(keyView),
    clients: set.clients.map(clientView),
    warnings: [...(alarm === undefined ? [] : [alarm]), ...warningsOf(set)],
  }
}
