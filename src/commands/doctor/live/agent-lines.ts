import { randomBytes } from "node:crypto"

import type { KeyView } from "../../../contract/bot-views.ts"
import { Fault } from "../../../std/fault.ts"
import { spanWords } from "../../../std/time/time-words.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import type { FileSet } from "../../../vault/config/load-files.ts"
import { type KeyPair, signChecked } from "../../../vault/keyring/keyring.ts"

import { pickCurve } from "../../../vault/keyring/curve.ts"
import { hasEnded, operatorName, type KeyEntry } from "../../../vault/ledger/records/bindings.ts"
import { digestOf } from "../../../vault/request/fill-in.ts"
import { isWalletHeld, succeedCommand } from "../../../vault/status/succeed-command.ts"
import { cancelsOf, parseLine, type PanicCancel } from "../../../vault/stops/panic.ts"
import { addressOfPublicKey, parseAddress } from "../../../venue/address.ts"
import { standsFor } from "../../../venue/paper-key.ts"
import type { Profile, PanicLine } from "../../../venue/profile.ts"
import type { Admin } from "../../installation/admin.ts"
import { holds, lacks, notKnown, type LiveLine } from "../finding.ts"
import { addFix } from "./venue-lines.ts"

/** What the agents are held against. */
type AgentsAt = {
  readonly profile: Profile
  readonly nowMs: number
  /** With less than this left an agent is as good as ended. */
  readonly warningMs: number
}

/** Agent keys that may still sign at the venue: a paper key is of paper's network, and no panic's. */
function agentsOf(keys: readonly KeyView[]): readonly KeyView[] {
  const live = keys.filter(({ name }) => standsFor(name) === undefined)
  return live.filter((key) => key.role === "agent" && !hasEnded(key))
}

/** Whether there are agents, each of this network, approved for longer than the warning, for accounts that can be signed for. */
export function agentLines(keys: readonly KeyView[], at: AgentsAt): readonly LiveLine[] {
  const agents = agentsOf(keys)
  if (agents.length === 0) {
    const fix = "countersign agent approve mm --generate --wallet main --valid-days 30"
    return [lacks("agents", "There is no agent key, so no order can be signed.", fix)]
  }
  const named = new Map(keys.map((key) => [key.name, key]))
  const wrong = agents.flatMap((agent) => wrongAgent(agent, { ...at, keys: named }))
  if (wrong.length > 0) return wrong
  return [holds("agents", `${agents.map((agent) => agentWords(agent, at)).join("; ")}.`)]
}

function agentWords({ name, targets, expires_at: endsAtMs }: KeyView, { nowMs }: AgentsAt): string {
  const accounts = targets.length === 0 ? "its wallet's account alone" : targets.join(", ")
  return `${name} for ${accounts}, ${spanWords((endsAtMs ?? nowMs) - nowMs)} left`
}

type Among = AgentsAt & { readonly keys: ReadonlyMap<string, KeyView> }

function wrongAgent(agent: KeyView, at: Among): readonly LiveLine[] {
  return [...approvalLines(agent, at), ...targetLines(agent, at)]
}

function approvalLines(agent: KeyView, at: Among): readonly LiveLine[] {
  const { profile, nowMs, warningMs } = at
  const { name, network, approval, expires_at: endsAtMs } = agent
  if (network !== profile.network) {
    const message = `${name} was made for another network than venue.yaml's, and signs nothing here.`
    return [lacks("agents", message, `countersign keys remove ${name}`)]
  }
  if (approval !== "approved" || endsAtMs === null) {
    const message = `no approval of ${name} went through this daemon.`
    const by = isWalletHeld(agent, at) ? "" : ` --wallet ${agent.wallet ?? "ADDRESS"} --external`
    return [notKnown("agents", message, `countersign agent approve ${name}${by} --valid-days 30`)]
  }
  if (endsAtMs - nowMs > warningMs) return []
  const message = `The approval of ${name} has ${spanWords(endsAtMs - nowMs)} left, and agent_warning is ${spanWords(warningMs)}.`
  return [lacks("agents", message, succeedCommand(agent, at))]
}

function targetLines({ name, targets }: KeyView, { profile }: AgentsAt): readonly LiveLine[] {
  const { agentStructWithTarget: struct } = profile
  if (targets.length === 0 || struct.known) return []
  const message = `${name} has targets, and nothing can be signed for them.`
  return [lacks("agents", message, addFix(struct.addLine))]
}

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
