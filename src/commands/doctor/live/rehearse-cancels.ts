import { randomBytes } from "node:crypto"

import type { KeyView } from "../../../link/views/views.ts"
import { Fault } from "../../../std/fault.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
import type { KeyPair } from "../../../vault/keyring/keyring.ts"
import { signChecked } from "../../../vault/keyring/open-keyring.ts"
import { pickCurve } from "../../../vault/keyring/pick-curve.ts"
import { operatorName, type KeyEntry } from "../../../vault/ledger/records/bindings.ts"
import { digestOf } from "../../../vault/request/fill-in.ts"
import { cancelsOf, parseLine, type PanicCancel } from "../../../vault/stops/panic.ts"
import { parseAddress, addressOfPublicKey } from "../../../venue/address.ts"

/** A cancel of venue.yaml's `panic`, and why it can't be signed by a key; `undefined` where it can. */
export type Rehearsed = PanicCancel & { readonly why: string | undefined }

/**
 * Reads, hashes and signs every cancel that a panic would send, by the vault's own code and these files, for each key that
 * would sign it. The signature is a throw-away key's under that key's name: it is good for no account, nothing is
 * recorded or sent, and no nonce is taken.
 */
export function rehearseCancels(files: FileSet, keys: readonly KeyView[]): readonly Rehearsed[] {
  const secret = new Uint8Array(randomBytes(32))
  const publicKey = pickCurve().publicKeyOf(secret)
  const address = addressOfPublicKey(publicKey)
  const set = makeActiveSet(
    files,
    keys.map((key) => standIn(key, address)),
    [],
  )
  return cancelsOf(set).map((ask) => ({ ...ask, why: whyNot(ask, set, { secret, publicKey }) }))
}

function standIn(key: KeyView, address: KeyEntry["address"]): KeyEntry {
  const { name, role, wallet, network, approval, expires_at: expiresAtMs } = key
  const targets = key.targets.flatMap((target) => parseAddress(target) ?? [])
  return { name, address, role, wallet, targets, network, approval, expires_at: expiresAtMs }
}

function whyNot(
  { line, key: name }: PanicCancel,
  set: ActiveSet,
  key: KeyPair,
): string | undefined {
  const entry = name === undefined ? undefined : set.keys.get(name)
  if (entry === undefined) return `there is no key ${name ?? "to sign it"}`
  try {
    const request = parseLine(line, entry, { client: operatorName, set })
    const nowMs = Date.now()
    const validity = { nonce: nowMs, expiresAfterMs: nowMs + request.ttlMs }
    const digest = digestOf(request, { validity, profile: set.profile })
    signChecked(key, digest, pickCurve())
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}
