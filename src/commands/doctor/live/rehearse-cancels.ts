import { randomBytes } from "node:crypto"

import type { KeyView } from "../../../link/views/views.ts"
import { Fault } from "../../../std/fault.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
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
  return { name, address, role, wallet, targets, network, approval, expiresAtMs }
}

type ThrowAway = { readonly secret: Uint8Array; readonly publicKey: Uint8Array }

function whyNot(
  { line, key: name }: PanicCancel,
  set: ActiveSet,
  key: ThrowAway,
): string | undefined {
  const entry = name === undefined ? undefined : set.keys.get(name)
  if (entry === undefined) return `there is no key ${name ?? "to sign it"}`
  try {
    const request = parseLine(line, entry, { client: operatorName, set })
    const nowMs = Date.now()
    const validity = { nonce: nowMs, expiresAfterMs: nowMs + request.ttlMs }
    const digest = digestOf(request, { validity, profile: set.profile })
    const curve = pickCurve()
    const signer = curve.recover(curve.sign(key.secret, digest), digest)
    const isOwn = signer !== undefined && Buffer.compare(signer, key.publicKey) === 0
    return isOwn ? undefined : "the signature isn't its key's"
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}
