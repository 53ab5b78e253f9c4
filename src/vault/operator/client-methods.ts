import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { ClientView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { isPaperKey, type ActiveSet, type Acts } from "../active/active-set.ts"
import { clientView } from "../status/views.ts"
import { hasEnded, type Client, reservedNames } from "../ledger/records/bindings.ts"
import { hashToken, makeToken } from "../request/authorize.ts"

/**
 * Changes clients, and keeps by hash the tokens that were replaced or revoked since the start: what was signed with one may
 * be on its way, and the gate has yet to say what became of it.
 */
export type Clients = Acts & { readonly endedTokens: Map<string, Client> }

/** Adds clients, changes them, gives them new tokens, and revokes them. @throws {Fault} `name_taken`, `name_unknown`, `usage`. */
export function clientMethods(acts: Clients) {
  return {
    addClient: (params: AdminParams["addClient"]) => addClient(params, acts),
    setClient: (params: AdminParams["setClient"]) => setClient(params, acts),
    rotateToken: (params: AdminParams["rotateToken"]) => rotateToken(params, acts),
    revokeClient: (params: AdminParams["revokeClient"]) => revokeClient(params, acts),
    listClients: () =>
      Promise.resolve(acts.active().clients.map((client) => clientView(client, acts.now()))),
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
  { name, keys, rights, allowTypeB, ...given }: AdminParams["addClient"],
  acts: Acts,
): Promise<AdminResults["addClient"]> {
  const set = acts.active()
  assertNameFree(name, set)
  const usable = usableKeys(keys, set)
  const isPaper = isPaperKey(usable[0], set)
  assertPaper({ keys: usable, rights, allow_type_b: allowTypeB }, isPaper, set)
  const token = makeToken(isPaper ? "cs_paper_" : "cs_")
  const end = endIn(given.expiresInMs, acts)
  await acts.act({
    act: "client_added",
    client: {
      ...{ name, token_hash: hashToken(token), keys: usable, rights, allow_type_b: allowTypeB },
      ...(given.forwardOnly === true && { forward_only: true }),
      ...(given.idempotencyBy === "client_order_id" && { idempotency_by: given.idempotencyBy }),
      ...end,
    },
  })
  return { name, token, expires_at: end.expires_at ?? null }
}

/** From now on; nothing where no time is given. */
function endIn(lifeMs: number | undefined, { now }: Acts): Pick<Client, "expires_at"> {
  return lifeMs === undefined ? {} : { expires_at: now() + lifeMs }
}

/** The token stays the same; one that has expired is good again where a time is given. */
async function setClient(
  { name, keys, rights, allowTypeB, forwardOnly, expiresInMs }: AdminParams["setClient"],
  acts: Acts,
): Promise<ClientView> {
  const set = acts.active()
  const { forward_only, ...client } = validClient(name, set)
  const to: Client = {
    ...client,
    ...((forwardOnly ?? forward_only) && { forward_only: true }),
    keys: keys === undefined ? client.keys : usableKeys(keys, set),
    rights: rights ?? client.rights,
    allow_type_b: allowTypeB ?? client.allow_type_b,
    ...endIn(expiresInMs, acts),
  }
  assertPaper(to, isPaperKey(client.keys[0], set), set)
  await acts.act({ act: "client_set", client: to })
  return clientView(to, acts.now())
}

/** @throws {Fault} `name_unknown`, `usage` of one that is revoked. */
function validClient(name: string, set: ActiveSet): Client {
  const client = namedClient(name, set)
  if (client.token_hash !== null) return client
  throw new Fault("usage", `The client ${name} is revoked for good; add a new one.`)
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

/**
 * A client trades on paper or for real, with all its keys and for good: no token ever changes what it is worth. On paper it
 * stops, feeds and reads nothing that is real.
 *
 * @throws {Fault} `usage`.
 */
function assertPaper(
  { keys, rights, allow_type_b }: Pick<Client, "keys" | "rights" | "allow_type_b">,
  isPaper: boolean,
  set: ActiveSet,
): void {
  if (keys.some((key) => isPaperKey(key, set) !== isPaper)) {
    throw new Fault("usage", "A client has paper keys or live keys, not both; add another client.")
  }
  if (isPaper && (allow_type_b || rights.length > 0)) {
    throw new Fault("usage", "A paper client has no rights, and signs no account operations.")
  }
}

/** The old token is refused from the moment this is recorded; there is no time in which both work. */
async function rotateToken(
  { name }: AdminParams["rotateToken"],
  acts: Clients,
): Promise<AdminResults["rotateToken"]> {
  const client = validClient(name, acts.active())
  endToken(client, acts)
  const token = makeToken(isPaperKey(client.keys[0], acts.active()) ? "cs_paper_" : "cs_")
  await acts.act({ act: "client_token_set", name, token_hash: hashToken(token) })
  return { name, token }
}

async function revokeClient(
  { name }: AdminParams["revokeClient"],
  acts: Clients,
): Promise<ClientView> {
  endToken(namedClient(name, acts.active()), acts)
  // Also of one that is revoked: the first time may be on its way to the disk, and signatures before it.
  await acts.act({ act: "client_revoked", name })
  return clientView(namedClient(name, acts.active()), acts.now())
}

function endToken(client: Client, { endedTokens }: Clients): void {
  if (client.token_hash !== null) endedTokens.set(client.token_hash, client)
}
