import type { AdminParams } from "../../link/calls/methods.ts"
import type { KeyView } from "../../contract/bot-views.ts"
import { fromHex, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { oneAtATime } from "../../std/one-at-a-time.ts"
import { addressOfPublicKey, parseAddress, type Address } from "../../venue/address.ts"
import { standsFor } from "../../venue/paper-key.ts"
import type { Profile } from "../../venue/profile.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import { keyNamed } from "../agents/operator-request.ts"
import { keyView } from "../status/views.ts"
import { assertSigns } from "../keyring/assert-signs.ts"
import { type KeyPair, type Keyring, provenPair } from "../keyring/keyring.ts"
import type { PickedCurve } from "../keyring/curve.ts"
import { isPublishedTestKey } from "../keyring/published-test-keys.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"

/** Where keys are held, and where they are recorded. */
type Keys = Acts & {
  readonly keyring: Keyring
  readonly curve: PickedCurve
  readonly ledger: Pick<Ledger, "lastNonce" | "claim">
}

/** Adds keys, one after another. @throws {Fault} `name_taken`, `name_unknown`, `key_invalid`, `usage`. */
export function keyMethods(keys: Keys) {
  // Between the checks of one key and its entry in the ledger no other may slip in.
  const inTurn = oneAtATime()
  return {
    addKey: (params: AdminParams["addKey"]) =>
      withSecret(params.secret, () => inTurn(() => addKey(params, keys))),
    removeKey: ({ name }: AdminParams["removeKey"]) => inTurn(() => removeKey(name, keys)),
    setTargets: (params: AdminParams["setTargets"]) => setTargets(params, keys),
    listKeys: () =>
      Promise.resolve([...keys.active().keys.values()].map((key) => keyView(key, keys))),
  }
}

/** First the key store, then the ledger, so that the ledger never names a key that isn't safe on disk. */
async function addKey(ask: AdminParams["addKey"], keys: Keys): Promise<KeyView> {
  const { keyring, curve, ledger } = keys
  const set = keys.active()
  assertKeyWanted(ask, set)
  const paper = paperOf(ask, set)
  const pair = pairOf(ask, curve)
  const address = addressOfPublicKey(pair.publicKey)
  assertPrivate(address, set.profile)
  assertSigns(pair, curve)
  assertAddressNew(address, set)
  await ledger.claim(address)
  if (!isHeldAlready(ask.name, address, keyring)) await keyring.add(ask.name, pair)
  const key: KeyEntry = {
    name: ask.name,
    address,
    role: ask.role,
    // Paper's venue has no wallet for it: it trades for itself.
    wallet: paper === undefined ? (ask.wallet ?? null) : address,
    targets: paper?.targets ?? [],
    network: paper?.network ?? keys.active().profile.network,
    approval: "unknown",
    expires_at: null,
  }
  await keys.act({ act: "key_added", key })
  return keyView(key, keys)
}

/**
 * First the ledger, then the key store: what is recorded as removed signs nothing from that moment, and a
 * start finishes a removal that was cut off.
 */
async function removeKey(name: string, keys: Keys): Promise<KeyView> {
  const set = keys.active()
  const key = keyNamed(name, set)
  const user = set.clients.find(
    (client) => client.token_hash !== null && client.keys.includes(name),
  )
  if (user !== undefined) {
    throw new Fault(
      "usage",
      `The client ${user.name} uses the key ${name}; revoke the client or switch it with countersign agent rotate first.`,
    )
  }
  if (keys.keyring.addressOf(name) !== undefined && keys.keyring.isLocked(name)) {
    throw new Fault("keyring_locked", "The keys are locked; run countersign unlock first.")
  }
  if (key.approval !== "removed") await keys.act({ act: "key_removed", name })
  await keys.keyring.remove(name)
  return keyView(keyNamed(name, keys.active()), keys)
}

async function setTargets(
  { name, targets }: AdminParams["setTargets"],
  keys: Keys,
): Promise<KeyView> {
  const { approval } = keyNamed(name, keys.active())
  if (approval === "removed") throw new Fault("usage", `The key ${name} is removed.`)
  await keys.act({ act: "key_targets_set", name, targets: targets.map(parseTarget) })
  return keyView(keyNamed(name, keys.active()), keys)
}

function parseTarget(text: string): Address {
  const address = parseAddress(text)
  if (address !== undefined) return address
  throw new Fault(
    "usage",
    `${text} isn't an address, or its checksum is wrong; nothing was changed.`,
  )
}

/**
 * Whether an addition of this very key was cut off between key store and ledger; importing it again
 * finishes it.
 *
 * @throws {Fault} `name_taken` when the key store holds another key under the name.
 */
function isHeldAlready(name: string, address: Address, keyring: Keyring): boolean {
  const held = keyring.addressOf(name)
  if (held === undefined) return false
  if (held === address) return true
  throw new Fault(
    "name_taken",
    `keystore/${name}.json holds the key of ${held}, which was never fully added; import that key again to finish it, move the file away, or choose another name.`,
  )
}

function assertKeyWanted({ name, role, wallet }: AdminParams["addKey"], { keys }: ActiveSet): void {
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

/** What a paper key has of the key that it stands for, and of paper; `undefined` for any other key. @throws {Fault} `usage`. */
function paperOf(
  { name, role, wallet }: AdminParams["addKey"],
  { keys, paper, profile }: ActiveSet,
): Pick<KeyEntry, "targets" | "network"> | undefined {
  const of = standsFor(name)
  if (of === undefined) return undefined
  const live = keys.get(of)
  const isAgent = live?.role === "agent" && live.network === profile.network
  if (!isAgent || role !== "agent" || wallet !== undefined) {
    throw new Fault("usage", `${name} is the name of a paper key, so ${of} must be an agent key.`)
  }
  if (paper !== undefined) return { targets: live.targets, network: paper.profile.network }
  throw new Fault(
    "usage",
    "No venue-paper.yaml is in force, so there is no venue for paper. Run: countersign sandbox --paper, which writes it and plays the venue; then countersign policy reload.",
  )
}

/** The reference's public key, and the curve's that signs here, must be one. */
function pairOf({ secret, publicKey }: AdminParams["addKey"], curve: PickedCurve): KeyPair {
  const pair = provenPair(secret, { publicKey: fromHex(publicKey) }, curve)
  if (pair !== undefined) return pair
  throw new Fault(
    "key_invalid",
    "This isn't a private key, of 32 bytes, above zero and below the curve's order, or not that of the public key beside it.",
  )
}

function assertPrivate(address: Address, profile: Profile): void {
  if (isPublishedTestKey(address) && !isSandboxNetwork(profile)) {
    throw new Fault(
      "key_invalid",
      "This private key is a published test key that anyone can use; it is refused on every network but the sandbox's.",
    )
  }
}

function assertAddressNew(address: string, { keys }: ActiveSet): void {
  const same = [...keys.values()].find((key) => key.address === address)
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
