import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { ClientView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import { clientView } from "../status/views.ts"
import { hasEnded, type Client, reservedNames } from "../ledger/records/bindings.ts"
import { hashToken, makeToken } from "../request/authorize.ts"

/** Adds clients, gives them new tokens, and revokes them. @throws {Fault} `name_taken`, `name_unknown`, `usage`. */
export function clientMethods(acts: Acts) {
  return {
    addClient: (params: AdminParams["addClient"]) => addClient(params, acts),
    rotateToken: (params: AdminParams["rotateToken"]) => rotateToken(params, acts),
    revokeClient: (params: AdminParams["revokeClient"]) => revokeClient(params, acts),
    listClients: () => Promise.resolve(acts.active().clients.map(clientView)),
  }
}

/** @throws {Fault} `name_unknown`. */
export function namedClient(name: string, { clients }: ActiveSet): Client {
  const client = clients.find((each) => each.name === name)
  if (client !== undefined) return client
  throw new Fault(
    "name_unknown",
    `There is no client ${name}; countersign clients list shows them.`,
  )
}

async function addClient(
  { name, keys, rights, allowTypeB, idempotencyBy = "header" }: AdminParams["addClient"],
  acts: Acts,
): Promise<AdminResults["addClient"]> {
  const set = acts.active()
  assertNameFree(name, set)
  const usable = usableKeys(keys, set)
  const token = makeToken()
  await acts.act({
    act: "client_added",
    client: {
      ...{ name, tokenHash: hashToken(token), keys: usable },
      ...{ rights, allowTypeB, idempotencyBy },
    },
  })
  return { name, token }
}

function assertNameFree(name: string, { clients }: ActiveSet): void {
  if (reservedNames.includes(name)) {
    throw new Fault(
      "name_taken",
      `${name} means somebody else in the records; choose another name.`,
    )
  }
  if (clients.some((client) => client.name === name)) {
    throw new Fault("name_taken", `There is a client named ${name} already; choose another name.`)
  }
}

/** Each once, in their order. @throws {Fault} `name_unknown`, `usage`. */
function usableKeys(names: readonly string[], { keys }: ActiveSet): Client["keys"] {
  const [first, ...others] = [...new Set(names)]
  const unknown = names.find((name) => !keys.has(name))
  if (first === undefined || unknown !== undefined) {
    const which = unknown ?? "without a name"
    throw new Fault("name_unknown", `There is no key ${which}; countersign keys list shows them.`)
  }
  const ended = names.flatMap((name) => keys.get(name) ?? []).find(hasEnded)
  if (ended === undefined) return [first, ...others]
  throw new Fault("usage", `The key ${ended.name} never signs again; name another one.`)
}

/** The old token is refused from the moment this is recorded; there is no time in which both work. */
async function rotateToken(
  { name }: AdminParams["rotateToken"],
  acts: Acts,
): Promise<AdminResults["rotateToken"]> {
  if (namedClient(name, acts.active()).tokenHash === null) {
    throw new Fault("usage", `The client ${name} is revoked for good; add a new one.`)
  }
  const token = makeToken()
  await acts.act({ act: "client_token_set", name, tokenHash: hashToken(token) })
  return { name, token }
}

async function revokeClient(
  { name }: AdminParams["revokeClient"],
  acts: Acts,
): Promise<ClientView> {
  namedClient(name, acts.active())
  // Also of one that is revoked: the first time may be on its way to the disk, and signatures before it.
  await acts.act({ act: "client_revoked", name })
  return clientView(namedClient(name, acts.active()))
}
