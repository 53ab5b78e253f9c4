import { randomBytes } from "node:crypto"

import type { KeyView } from "../../../contract/bot-views.ts"
import { Fault } from "../../../std/fault.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import type { FileSet } from "../../../vault/config/load-files.ts"
import { type KeyPair, signChecked } from "../../../vault/keyring/keyring.ts"
import { pickCurve } from "../../../vault/keyring/curve.ts"
import { operatorName, type KeyEntry } from "../../../vault/ledger/records/bindings.ts"
import { digestOf } from "../../../vault/request/fill-in.ts"
import { cancelsOf, parseLine, type PanicCancel } from "../../../vault/stops/panic.ts"
import { addressOfPublicKey, parseAddress } from "../../../venue/address.ts"
import type { PanicLine, Profile } from "../../../venue/profile.ts"
import type { Admin } from "../../installation/admin.ts"
import { agentsOf } from "./agent-lines.ts"
import { holds, lacks, type LiveLine } from "./live-line.ts"

type Asking = Pick<Admin, "call">

/** Whether a panic's cancels can be signed by every agent, and whether each agent's bot may cancel by policy. Nothing is sent. */
export async function rehearsalLines(
  files: FileSet,
  keys: readonly KeyView[],
  admin: Asking,
): Promise<readonly LiveLine[]> {
  const [line] = files.profile.panic
  if (line === undefined) {
    const message =
      "venue.yaml gives no cancel under panic, so a panic freezes and cancels nothing."
    const fix = `add to venue.yaml panic: [{operation: cancelAll, body: "…"}] and then run: countersign policy reload`
    return [lacks("rehearsal", message, fix)]
  }
  const rehearsed = rehearseCancels(files, keys)
  const ofAgents = agentsOf(keys)
  const wrong = [
    ...rehearsed.flatMap(unsigned),
    ...ofAgents.flatMap(locked),
    ...(await Promise.all(ofAgents.map((key) => mayCancel(key, line, { files, admin })))).flat(),
  ]
  if (wrong.length > 0) return wrong
  const said = rehearsed.map(({ line: { operation }, key }) => `${operation} by ${key ?? ""}`)
  const message = `Read, hashed and signed by a throw-away key in its place, and not sent: ${said.join(", ")}. By policy a bot of each may cancel too.`
  return [holds("rehearsal", message)]
}

function unsigned({ line: { operation }, key, why }: Rehearsed): readonly LiveLine[] {
  if (why === undefined) return []
  const message = `${operation} by ${key ?? "an agent"} can't be signed: ${why}`
  const fix = "fix venue.yaml, then run: countersign policy reload"
  return [lacks("rehearsal", message, fix)]
}

function locked(key: KeyView): readonly LiveLine[] {
  if (!key.locked) return []
  return [lacks("rehearsal", `${key.name} is locked, and signs nothing.`, "countersign unlock")]
}

type By = { readonly files: FileSet; readonly admin: Asking }

/** Asks the running daemon what it would make of the cancel, for each client that may use the key. */
async function mayCancel(
  key: KeyView,
  { operation, body }: PanicLine,
  { files: { profile }, admin }: By,
): Promise<readonly LiveLine[]> {
  const clients = await admin.call("listClients", {})
  const own = clients.filter(({ keys, revoked }) => !revoked && keys.includes(key.name))
  if (own.length === 0) {
    const fix = `countersign clients add bot --keys ${key.name}`
    return [lacks("rehearsal", `No client may use ${key.name}.`, fix)]
  }
  const call = {
    path: pathOf(operation, profile),
    body: Buffer.from(JSON.stringify(body)).toString("base64"),
    key: key.name,
  }
  const reports = await Promise.all(
    own.map(({ name: client }) => admin.call("explain", { ...call, client })),
  )
  if (reports.some(({ would_sign: wouldSign }) => wouldSign)) return []
  const [why = ""] = reports.map(({ refusal }) => refusal?.message ?? "")
  const message = `No bot may cancel with ${key.name}. ${why}`
  const fix = "allow cancels in a file of policies/, then run: countersign policy reload"
  return [lacks("rehearsal", message, fix)]
}

function pathOf(operation: PanicLine["operation"], { endpoints }: Profile): string {
  return endpoints.get(operation)?.path ?? ""
}

/** A cancel of venue.yaml's `panic`, and why it can't be signed by a key; `undefined` where it can. */
type Rehearsed = PanicCancel & { readonly why: string | undefined }

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
  const { name, role, wallet, network, approval, expires_at } = key
  const targets = key.targets.flatMap((target) => parseAddress(target) ?? [])
  return { name, address, role, wallet, targets, network, approval, expires_at }
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
