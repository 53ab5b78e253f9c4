import type { AdminParams } from "../../link/calls/methods.ts"
import type { KeyView } from "../../link/views/views.ts"
import { fromHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { addressOfPublicKey, parseAddress, type Address } from "../../venue/address.ts"
import type { Profile } from "../../venue/profile.ts"
import type { Vault } from "../core/vault.ts"
import { keyView } from "../status/views.ts"
import { assertSigns } from "../keyring/assert-signs.ts"
import type { KeyPair } from "../keyring/keyring.ts"
import { provenPair } from "../keyring/proven-pair.ts"
import { isPublishedTestKey } from "../keyring/published-test-keys.ts"
import { withSecret } from "../keyring/with-secret.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"

/** Adds keys, one after another. @throws {Fault} `name_taken`, `name_unknown`, `key_invalid`, `usage`. */
export function keyMethods(vault: Vault) {
  const inTurn = makeTurns()
  return {
    addKey: (params: AdminParams["addKey"]) =>
      withSecret(params.secret, () => inTurn(() => addKey(vault, params))),
    removeKey: ({ name }: AdminParams["removeKey"]) => inTurn(() => removeKey(name, vault)),
    setTargets: (params: AdminParams["setTargets"]) => setTargets(params, vault),
    listKeys: () =>
      Promise.resolve([...vault.active().keys.values()].map((key) => keyView(key, vault))),
  }
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

/** First the key store, then the ledger, so that the ledger never names a key that isn't safe on disk. */
async function addKey(vault: Vault, ask: AdminParams["addKey"]): Promise<KeyView> {
  assertKeyWanted(vault, ask)
  const pair = pairOf(vault, ask)
  const address = addressOfPublicKey(pair.publicKey)
  assertPrivate(vault, address)
  assertSigns(pair, vault.curve)
  assertAddressNew(vault, address)
  await vault.ledger.safety.claim(address)
  if (!isHeldAlready(vault, ask.name, address)) await vault.keyring.add(ask.name, pair)
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
  return keyView(key, vault)
}

/**
 * First the ledger, then the key store: what is recorded as removed signs nothing from that moment, and a
 * start finishes a removal that was cut off.
 */
async function removeKey(name: string, vault: Vault): Promise<KeyView> {
  const key = knownKey(name, vault)
  const user = vault
    .active()
    .clients.find((client) => client.tokenHash !== null && client.keys.includes(name))
  if (user !== undefined) {
    throw new Fault(
      "usage",
      `The client ${user.name} uses the key ${name}; revoke the client or switch it with countersign agent rotate first.`,
    )
  }
  if (vault.keyring.isLocked(name)) {
    throw new Fault("keyring_locked", "The keys are locked; run countersign unlock first.")
  }
  if (key.approval !== "removed") await vault.act({ act: "key_removed", name })
  await vault.keyring.remove(name)
  return keyView(knownKey(name, vault), vault)
}

async function setTargets(
  { name, targets }: AdminParams["setTargets"],
  vault: Vault,
): Promise<KeyView> {
  const { approval } = knownKey(name, vault)
  if (approval === "removed") throw new Fault("usage", `The key ${name} is removed.`)
  await vault.act({ act: "key_targets_set", name, targets: targets.map(parseTarget) })
  return keyView(knownKey(name, vault), vault)
}

function parseTarget(text: string): Address {
  const address = parseAddress(text)
  if (address !== undefined) return address
  throw new Fault(
    "usage",
    `${text} isn't an address, or its checksum is wrong; nothing was changed.`,
  )
}

function knownKey(name: string, vault: Vault): KeyEntry {
  const key = vault.active().keys.get(name)
  if (key !== undefined) return key
  throw new Fault(
    "name_unknown",
    `There is no key named ${name}; countersign keys list shows them.`,
  )
}

/**
 * Whether an addition of this very key was cut off between key store and ledger; importing it again
 * finishes it.
 *
 * @throws {Fault} `name_taken` when the key store holds another key under the name.
 */
function isHeldAlready(vault: Vault, name: string, address: Address): boolean {
  const held = vault.keyring.addressOf(name)
  if (held === undefined) return false
  if (held === address) return true
  throw new Fault(
    "name_taken",
    `keystore/${name}.json holds the key of ${held}, which was never fully added; import that key again to finish it, move the file away, or choose another name.`,
  )
}

function assertKeyWanted(vault: Vault, { name, role, wallet }: AdminParams["addKey"]): void {
  const { keys } = vault.active()
  if (keys.has(name)) {
    throw new Fault("name_taken", `There is a key named ${name} already; choose another name.`)
  }
  if (role === "wallet" && wallet !== undefined) {
    throw new Fault("usage", "A wallet key acts for itself; leave --wallet out.")
  }
  if (/^0x[0-9a-f]{40}$/.test(name)) {
    throw new Fault("usage", "A key's name can't look like an address; choose another name.")
  }
  if (wallet !== undefined && keys.get(wallet)?.role !== "wallet") {
    throw new Fault(
      "name_unknown",
      `There is no wallet key named ${wallet}; countersign keys list shows them.`,
    )
  }
}

/** The reference's public key, and the curve's that signs here, must be one. */
function pairOf(
  { curve }: Vault,
  ask: Pick<AdminParams["addKey"], "publicKey" | "secret">,
): KeyPair {
  const pair = provenPair(ask.secret, { publicKey: fromHex(ask.publicKey) }, curve)
  if (pair !== undefined) return pair
  throw new Fault(
    "key_invalid",
    "This isn't a private key, of 32 bytes, above zero and below the curve's order, or not that of the public key beside it.",
  )
}

function assertPrivate(vault: Vault, address: Address): void {
  if (isPublishedTestKey(address) && !isSandboxNetwork(vault.active().profile)) {
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

/** The chain id that the sandbox made up for itself. Published test keys may be used there and nowhere else. */
export const sandboxChainId = 842_569_901n

/** Tells whether this profile is the local sandbox's. */
export function isSandboxNetwork({ domain }: Profile): boolean {
  return domain.chainId === sandboxChainId
}
