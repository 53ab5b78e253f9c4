import type { ClientView, KeyView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Admin } from "../installation/admin.ts"
import { generateKey } from "../keys/add-key.ts"
import { daysOf, findAgent, untilText, type TermOptions } from "./agent-options.ts"
import { approveHere } from "./approve-here.ts"
import { sendSigned } from "./send-signed.ts"
import { successorOf } from "./successor.ts"

export type RotateAsk = TermOptions & {
  readonly name: string
  /** A key that takes its place; without it the next one of its name, made if it isn't there. */
  readonly to: string | undefined
  /** Whether to stop once the successor is approved. */
  readonly prepare: boolean
}

/** How far a rotation has come. */
export type Rotation = {
  readonly from: KeyView
  /** `null` when the clients were switched before. */
  readonly to: KeyView | null
  /** The clients that were switched now. */
  readonly clients: readonly string[]
  /** Whether the venue refuses the old key from now on. */
  readonly revoked: boolean
}

type By = { readonly admin: Admin; readonly tell: (step: string) => void }

type Found = { readonly keys: readonly KeyView[]; readonly clients: readonly ClientView[] }

/**
 * Puts another agent key in a key's place: makes it, has it approved, switches the clients, revokes the old
 * one at the venue. Every step looks at what is there, so that a rotation that was cut off goes on where it
 * stopped.
 */
export async function rotateKey(
  admin: Admin,
  ask: RotateAsk,
  tell: (step: string) => void,
): Promise<Rotation> {
  const by = { admin, tell }
  const from = await findAgent(admin, ask.name)
  const found = {
    keys: await admin.call("listKeys", {}),
    clients: await admin.call("listClients", {}),
  }
  if (isReplaced(from, found)) return finish(by, { from, to: null, clients: [] })
  const to = await approvedSuccessor(by, { ask, from, found })
  if (ask.prepare) return { from, to, clients: [], revoked: false }
  const switched = await admin.call("replaceKey", { from: from.name, to: to.name })
  const names = switched.clients.join(", ") || "no client"
  tell(`${to.name} takes the place of ${from.name}, which never signs again; switched: ${names}.`)
  return finish(by, switched)
}

function isReplaced({ name, approval }: KeyView, { clients }: Found): boolean {
  const mayStillSign = approval === "unknown" || approval === "approved"
  return !mayStillSign && !clients.some(({ keys }) => keys.includes(name))
}

type Search = { readonly ask: RotateAsk; readonly from: KeyView; readonly found: Found }

async function approvedSuccessor(by: By, { ask, from, found }: Search): Promise<KeyView> {
  const { admin, tell } = by
  const wanted = await wantedKey(admin, ask, from)
  const successor =
    wanted === undefined ? successorOf(from, found) : { kind: "held" as const, key: wanted }
  const key = successor.kind === "held" ? successor.key : undefined
  if (key !== undefined && isApproved(key)) {
    tell(`${key.name} is approved already, ${untilText(key)}.`)
    return key
  }
  assertWalletHeld(from, found)
  const name = key?.name ?? (await generate(by, successor, from))
  const { validDays, label } = { validDays: daysOf(ask), label: ask.label ?? name }
  const approved = await approveHere(admin, { agent: name, validDays, label })
  tell(`${name} is approved ${untilText(approved.key)} (record ${approved.record}).`)
  return approved.key
}

async function wantedKey(admin: Admin, { to }: RotateAsk, from: KeyView) {
  if (to === undefined) return undefined
  const key = await findAgent(admin, to)
  if (key.wallet === from.wallet && key.name !== from.name) return key
  throw new Fault(
    "usage",
    `${to} can't take the place of ${from.name}: name another agent of its wallet.`,
  )
}

async function generate(
  { admin, tell }: By,
  successor: ReturnType<typeof successorOf>,
  { wallet }: KeyView,
): Promise<string> {
  if (successor.kind === "held" || wallet === null) throw new Fault("internal", "No key is wanted.")
  const { name } = successor
  const { address } = await generateKey(admin, { name, role: "agent", wallet })
  tell(`${name} is made: agent key, address ${address}.`)
  return name
}

function isApproved({ approval, expires_at: expiresAt }: KeyView): boolean {
  return approval === "approved" && (expiresAt === null || Date.now() < expiresAt)
}

function assertWalletHeld({ name, wallet }: KeyView, { keys }: Found): void {
  if (keys.some((key) => key.role === "wallet" && key.name === wallet)) return
  const way =
    wallet === null
      ? `Nothing here says which wallet ${name} is an agent of. Make and approve another key, and switch its clients to that.`
      : `The wallet ${wallet} isn't held here. Approve a new key with countersign agent approve NEW --generate --wallet ${wallet} --external, then run countersign agent rotate ${name} --to NEW.`
  throw new Fault("usage", way)
}

/** What remains when no client uses the old key any more. */
async function finish(by: By, done: Omit<Rotation, "revoked">): Promise<Rotation> {
  const { from } = done
  if (from.approval === "revoked") return { ...done, revoked: true }
  const revoked = await revoke(by, from)
  return revoked === undefined
    ? { ...done, revoked: false }
    : { ...done, from: revoked, revoked: true }
}

/** `undefined` where the venue can't be told from here: the key is retired all the same. */
async function revoke(
  { admin, tell }: By,
  { name, wallet }: KeyView,
): Promise<KeyView | undefined> {
  if (wallet === null || wallet.startsWith("0x")) {
    tell(`The wallet of ${name} isn't held here, so ${name} can only be revoked with that wallet.`)
    return undefined
  }
  try {
    const signed = await admin.call("revokeAgent", { agent: name })
    return (await sendSigned(signed, admin, `the revocation of ${name}`)).key
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== "undisclosed") throw error
    tell(error.message)
    return undefined
  }
}
