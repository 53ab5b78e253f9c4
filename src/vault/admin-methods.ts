import type { AdminParams, AdminResults, KeyView } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import type { Address } from "../venue/address.ts"
import { hashToken, makeToken } from "./authenticate.ts"
import type { KeyEntry } from "./bindings.ts"
import { isPublishedTestKey } from "./keyring/published-test-keys.ts"
import { addressOfSecret, isSecretKey } from "./keyring/curve.ts"
import { generateSecret } from "./keyring/generate-secret.ts"
import { withSecret } from "./keyring/with-secret.ts"
import { isSandboxNetwork } from "./sandbox-network.ts"
import type { Vault } from "./vault.ts"
import { clientView, keyView } from "./views.ts"
import { warningsOf } from "./warnings.ts"

/** The admin socket's calls, and the same ones for a CLI that opened the vault itself. */
export function adminMethods(vault: Vault) {
  const inTurn = makeTurns()
  const add = (ask: NewKey, secret: Uint8Array): Promise<KeyView> =>
    withSecret(secret, () => inTurn(() => addKey(vault, ask, secret)))
  return {
    health: () => Promise.resolve({ state: "ready" as const }),
    importKey: (params: AdminParams["importKey"]) =>
      add({ ...params, origin: "imported" }, decodeSecret(params.secret)),
    generateKey: (params: AdminParams["generateKey"]) =>
      add({ ...params, origin: "generated" }, generateSecret()),
    listKeys: () => Promise.resolve([...vault.active().keys.values()].map(keyView)),
    addClient: (params: AdminParams["addClient"]) => addClient(vault, params),
    listClients: () => Promise.resolve(vault.active().clients.map(clientView)),
    status: () => status(vault),
  }
}

type NewKey = Pick<AdminParams["generateKey"], "name" | "role" | "wallet"> & {
  readonly origin: "imported" | "generated"
}

/** One key after another: between the checks of one and its entry in the ledger no other may slip in. */
function makeTurns(): <Output>(work: () => Promise<Output>) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
}

/** Overwrites the buffer in between: Node cuts it from memory that other buffers share. */
function decodeSecret(base64: string): Uint8Array {
  return withSecret(Buffer.from(base64, "base64"), (bytes) => Uint8Array.from(bytes))
}

/** First the key store, then the ledger, so that the ledger never names a key that isn't safe on disk. */
async function addKey(vault: Vault, ask: NewKey, secret: Uint8Array): Promise<KeyView> {
  assertKeyWanted(vault, ask)
  assertSecretUsable(vault, secret)
  const address = addressOfSecret(secret)
  assertAddressNew(vault, address)
  if (!isHeldAlready(vault, ask, address)) await vault.keyring.add(ask.name, secret)
  const key: KeyEntry = {
    name: ask.name,
    address,
    role: ask.role,
    wallet: ask.wallet ?? null,
    targets: [],
    network: vault.active().profile.network,
    approval: "unknown",
    expiresAtMs: null,
  }
  await vault.act({ act: "key_added", key })
  return keyView(key)
}

/**
 * Whether an addition of this very key was cut off between key store and ledger; importing it again
 * finishes it.
 *
 * @throws {Fault} `name_taken` when the key store holds another key under the name.
 */
function isHeldAlready(vault: Vault, { name, origin }: NewKey, address: Address): boolean {
  const held = vault.keyring.addressOf(name)
  if (held === undefined) return false
  if (held === address && origin === "imported") return true
  throw new Fault(
    "name_taken",
    `keystore/${name}.json holds the key of ${held}, which was never fully added; import that key again to finish it, move the file away, or choose another name.`,
  )
}

function assertKeyWanted(vault: Vault, { name, role, wallet }: NewKey): void {
  const { keys } = vault.active()
  if (keys.has(name)) {
    throw new Fault("name_taken", `There is a key named ${name} already; choose another name.`)
  }
  if (role === "wallet" && wallet !== undefined) {
    throw new Fault("usage", "A wallet key acts for itself; leave --wallet out.")
  }
  if (wallet !== undefined && keys.get(wallet)?.role !== "wallet") {
    throw new Fault(
      "name_unknown",
      `There is no wallet key named ${wallet}; countersign keys list shows them.`,
    )
  }
}

function assertSecretUsable(vault: Vault, secret: Uint8Array): void {
  if (!isSecretKey(secret)) {
    throw new Fault(
      "key_invalid",
      "This isn't a private key: 32 bytes, above zero and below the curve's order.",
    )
  }
  if (isPublishedTestKey(addressOfSecret(secret)) && !isSandboxNetwork(vault.active().profile)) {
    throw new Fault(
      "key_invalid",
      "This private key is a published test key that anyone can use; it is refused on every network but the sandbox's.",
    )
  }
}

function assertAddressNew(vault: Vault, address: string): void {
  const same = [...vault.active().keys.values()].find((key) => key.address === address)
  if (same !== undefined) {
    throw new Fault(
      "name_taken",
      `The key ${same.name} has this address already; a key is held once.`,
    )
  }
}

async function addClient(
  vault: Vault,
  { name, keys, rights, allowTypeB }: AdminParams["addClient"],
): Promise<AdminResults["addClient"]> {
  const set = vault.active()
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
  return {
    state: "ready",
    policy_hash: set.policyHash,
    network: set.profile.network,
    records: await vault.ledger.count(),
    keys: [...set.keys.values()].map(keyView),
    clients: set.clients.map(clientView),
    warnings: warningsOf(set),
  }
}
