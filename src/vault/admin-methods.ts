import type { AdminParams, AdminResults, KeyView } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { hashToken, makeToken } from "./authenticate.ts"
import type { KeyEntry } from "./bindings.ts"
import { isPublishedTestKey } from "./keyring/published-test-keys.ts"
import { addressOfSecret, isSecretKey } from "./keyring/curve.ts"
import { generateSecret } from "./keyring/generate-secret.ts"
import { isSandboxNetwork } from "./sandbox-network.ts"
import type { Vault } from "./vault.ts"
import { clientView, keyView } from "./views.ts"
import { warningsOf } from "./warnings.ts"

/** The admin socket's calls, and the same ones for a CLI that opened the vault itself. */
export function adminMethods(vault: Vault) {
  return {
    health: () => Promise.resolve({ state: "ready" as const }),
    importKey: (params: AdminParams["importKey"]) =>
      addKey(vault, params, Uint8Array.from(Buffer.from(params.secret, "base64"))),
    generateKey: (params: AdminParams["generateKey"]) => addKey(vault, params, generateSecret()),
    listKeys: () => Promise.resolve([...vault.active().keys.values()].map(keyView)),
    addClient: (params: AdminParams["addClient"]) => addClient(vault, params),
    listClients: () => Promise.resolve(vault.active().clients.map(clientView)),
    status: () => status(vault),
  }
}

type NewKey = Pick<AdminParams["generateKey"], "name" | "role" | "wallet">

/** Takes ownership of `secret`; the keyring overwrites it. */
async function addKey(vault: Vault, ask: NewKey, secret: Uint8Array): Promise<KeyView> {
  assertKeyWanted(vault, ask)
  assertSecretUsable(vault, secret)
  const address = addressOfSecret(secret)
  assertAddressNew(vault, address)
  await vault.keyring.add(ask.name, secret)
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
