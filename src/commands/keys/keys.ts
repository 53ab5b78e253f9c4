import type { KeyView } from "../../contract/bot-views.ts"
import type { AdminResults, AdminParams } from "../../link/calls/methods.ts"
import { toHex, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { generateSecret } from "../../vault/keyring/generate-secret.ts"
import { nobleCurve } from "../../vault/keyring/curve.ts"
import { argument, flag, option, choice, required } from "../cli/command.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/installation-command.ts"
import type { Admin } from "../installation/admin.ts"

/** `countersign keys list` */
export const keysList = adminCommand({
  description: "show the keys' public side",
  examples: ["countersign keys list", "countersign keys list --json"],
  call: (admin) => admin.call("listKeys", {}),
  print: keysTable,
})

/** Keys in columns, for people. */
function keysTable(keys: readonly KeyView[]): readonly Line[] {
  if (keys.length === 0)
    return ["No keys yet; countersign keys generate or countersign keys import makes one."]
  const rows = keys
    .filter(({ approval }) => approval !== "removed")
    .map((key) => [key.name, key.role, key.address, key.wallet ?? "-", approvalText(key)])
  return [table(["NAME", "ROLE", "ADDRESS", "WALLET", "APPROVAL"], rows)]
}

function approvalText({ role, approval, expires_at }: KeyView): string {
  if (role === "wallet") return "-"
  const until = approval === "approved" && expires_at !== null
  return until ? `approved until ${utcText(expires_at)}` : approval
}

/** `countersign keys show NAME` */
export const keysShow = adminCommand({
  description: "show all that is known of a key",
  examples: ["countersign keys show mm"],
  options: { name: argument("<name>", "the key") },
  call: async (admin, { name }) => {
    const keys = await admin.call("listKeys", {})
    const key = keys.find((each) => each.name === name)
    if (key !== undefined) return key
    const message = `There is no key named ${name}; countersign keys list shows them.`
    throw new Fault("name_unknown", message)
  },
  print: keyDetails,
})

function keyDetails(key: KeyView): readonly string[] {
  return [
    `name       ${key.name}`,
    `role       ${key.role}`,
    `address    ${key.address}`,
    `wallet     ${key.wallet ?? "-"}`,
    `targets    ${key.targets.join(", ") || "its own address alone"}`,
    `network    ${key.network}`,
    `approval   ${key.approval}${key.expires_at === null ? "" : ` until ${utcText(key.expires_at)}`}`,
    `last used  ${key.last_used === null ? "never" : utcText(key.last_used)}`,
    ...(key.locked ? ["locked     yes; countersign unlock brings it back"] : []),
  ]
}

/** `countersign keys targets NAME`: sets the accounts that a key may operate besides its own address. */
export const keysTargets = adminCommand({
  changes: "installation",
  description: "set the accounts that a key may operate besides its own address",
  examples: [
    "countersign keys targets mm --set 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf",
    "countersign keys targets mm --none",
  ],
  options: {
    name: argument("<name>", "the key"),
    set: option("--set <addresses>", "these and no others, separated by commas"),
    none: flag("--none", "none: its own address alone"),
  },
  call: (admin, { name, ...options }) =>
    admin.call("setTargets", { name, targets: targetsOf(options) }),
  print: targetLines,
})

function targetsOf({ set, none }: { set: string | undefined; none: boolean }): string[] {
  if ((set === undefined) === !none) {
    throw new Fault("usage", "Say which accounts with --set, or --none.")
  }
  return set?.split(",") ?? []
}

function targetLines({ name, targets }: AdminResults["setTargets"]): readonly string[] {
  if (targets.length === 0) return [`${name} operates its own address alone.`]
  return [`${name} may operate, besides its own address:`, ...targets.map((each) => `  ${each}`)]
}

/** `countersign keys remove NAME`: has the key store delete the secret; the name and the address stay taken. */
export const keysRemove = adminCommand({
  changes: "installation",
  description: "remove a key for good; its name and address are never used again",
  examples: ["countersign keys remove mm", "countersign keys remove mm --yes"],
  options: { name: argument("<name>", "the key") },
  keys: "needed",
  question: ({ name }) =>
    `Remove the key ${name} for good? Without a copy elsewhere nothing can sign with it again.`,
  call: (admin, { name }) => admin.call("removeKey", { name }),
  print: ({ address }, { name }) => [
    `${name} (${address}) is removed: nothing here signs with it again. If the venue still accepts it, revoke it there.`,
    "Its secret may outlive it in back-ups, and in a keychain's bin and history (KeePassXC keeps both): clear them too.",
  ],
})

/** What `keys generate` and `keys import` both take. */
export const keyOptions = {
  name: required(option("--name <name>", "what the key is called here")),
  role: required(
    choice("--role <role>", "wallet keys sign account operations, agent keys trade for a wallet", [
      "wallet",
      "agent",
    ]),
  ),
  wallet: option("--wallet <name>", "the wallet key that an agent key acts for"),
}

/** `countersign keys generate` */
export const keysGenerate = adminCommand({
  changes: "installation",
  description: "make a new private key, which nobody is shown",
  examples: [
    "countersign keys generate --name main --role wallet",
    "countersign keys generate --name mm --role agent --wallet main",
  ],
  options: keyOptions,
  keys: "needed",
  call: (admin, options) => generateKey(admin, options),
  print: keyLines,
})

type NewKey = Omit<AdminParams["addKey"], "publicKey" | "secret">

/**
 * Gives the vault a key, with the public one as the reference works it out: here, since what that leaves of the private
 * key in memory goes with this process. Overwrites `secret`.
 */
export function addKey(
  admin: Admin,
  { name, role, wallet }: NewKey,
  secret: Uint8Array,
): Promise<KeyView> {
  return withSecret(secret, () => {
    const publicKey = toHex(nobleCurve.publicKeyOf(secret))
    return admin.call("addKey", { name, role, wallet, publicKey, secret })
  })
}

/** Makes a key and gives it to the vault; nobody else ever sees it. */
export function generateKey(admin: Admin, key: NewKey): Promise<KeyView> {
  return addKey(admin, key, generateSecret())
}

/** A new key, for people. */
export function keyLines(key: KeyView): readonly string[] {
  return [`${key.name}: ${key.role} key, address ${key.address}`]
}
