import type { ClientView } from "../../contract/views.ts"
import type { KeyView } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import { argument, flag, option, type Given } from "../cli/command.ts"
import { tell } from "../cli/print.ts"
import { adminCommand } from "../installation/installation-command.ts"
import type { Admin } from "../installation/admin.ts"
import { generateKey } from "../keys/keys.ts"
import { termOptions, untilText, daysOf, findAgent, approvedLine } from "./agents.ts"
import { approveHere, sendSigned } from "./send-signed.ts"

const rotateOptions = {
  name: argument("<name>", "the agent key that is replaced"),
  to: option("--to <name>", "the key that takes its place; left out, NAME-2, NAME-3, … is made"),
  prepare: flag(
    "--prepare",
    "stop once the new key is approved; run it without --prepare to go on",
  ),
  ...termOptions,
}

type RotateAsk = Given<typeof rotateOptions>

/** `countersign agent rotate NAME`: another agent key in its place, without a bot noticing. */
export const agentRotate = adminCommand({
  changes: "installation",
  description:
    "replace an agent key: make and approve a new one, switch the clients, end the old one",
  examples: [
    "countersign agent rotate mm --valid-days 30",
    "countersign agent rotate mm --prepare --valid-days 30",
  ],
  options: rotateOptions,
  keys: "needed",
  call: (admin, options, terminal) => rotateKey(admin, options, (line) => tell(terminal, line)),
  print: (rotation, { prepare }) => rotationLines(rotation, prepare),
})

function rotationLines({ from, to, revoked }: Rotation, isPrepared: boolean): readonly string[] {
  if (isPrepared && to !== null) {
    return [
      `${to.name} is ready to take the place of ${from.name}; countersign agent rotate ${from.name} switches the clients.`,
    ]
  }
  const old = revoked
    ? `${from.name} is revoked: neither this daemon nor the venue takes it any more.`
    : `${from.name} never signs here again, but the venue takes it ${untilText(from)}: keep its back-ups safe until then.`
  return to === null ? [old] : [`${to.name} signs in place of ${from.name}.`, old]
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
async function rotateKey(
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
  const terms = { validDays: daysOf(ask), label: ask.label ?? name }
  const approved = await approveHere(admin, { agent: name, ...terms })
  tell(approvedLine(approved))
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

/** The key that takes another one's place: one that is there already, or the name for a new one. */
type Successor =
  { readonly kind: "held"; readonly key: KeyView } | { readonly kind: "new"; readonly name: string }

/** A name that ends like this is a successor's, and its number goes on. */
const numbered = /-([2-9]|[1-9]\d)$/

/**
 * Finds the successor of an agent key: `mm-2` of `mm`, `mm-3` of `mm-2`. One that was prepared, or left
 * over when a rotation was cut off, is an agent of the same wallet that no client uses yet.
 */
export function successorOf(
  from: KeyView,
  { keys, clients }: { readonly keys: readonly KeyView[]; readonly clients: readonly ClientView[] },
): Successor {
  const number = numbered.exec(from.name)?.[1]
  const stem = number === undefined ? from.name : from.name.slice(0, -number.length - 1)
  for (let next = Number(number ?? 1) + 1; ; next += 1) {
    const name = `${stem}-${next}`
    const key = keys.find((each) => each.name === name)
    if (key === undefined) return { kind: "new", name }
    const isUsed = clients.some((client) => client.keys.includes(name))
    if (!isUsed && mayFollow(key, from)) return { kind: "held", key }
  }
}

/** Whether a key that is there already can take another one's place. */
function mayFollow({ role, wallet, network, approval }: KeyView, from: KeyView): boolean {
  const isLasting = approval === "unknown" || approval === "approved"
  return role === "agent" && wallet === from.wallet && network === from.network && isLasting
}
