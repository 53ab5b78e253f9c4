import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { configText } from "../../src/commands/init/init-texts.ts"
import { type FileSet, parseFileSet } from "../../src/vault/config/load-files.ts"
import type { Client, KeyEntry } from "../../src/vault/ledger/records/bindings.ts"
import { hashToken } from "../../src/vault/request/authorize.ts"
import { startMs } from "../support/fake-clock.ts"
import { addressOf, keyNames, type KeyName } from "./fake-curve.ts"

/** Its keys are in memory for nobody but the fake curve. Rate budgets have tests of their own. */
const settings = `${configText({ backend: "keystore" })}
ledger: {min_free: 0}
budgets: {address: off, ip: off}
`

/** A limit as the checker counts it. Its file is written from it. */
export type SimLimit = {
  readonly name: string
  /** Of orders: how many, or their worth, which is their quantity, for each costs 1. */
  readonly counts: "requests" | "notional"
  readonly per: "key" | "client" | "all"
  /** `Infinity` for `window: ever`. */
  readonly windowMs: number
  readonly max: number
  /** Whether the venue's refusal of the only send gives room back. */
  readonly givesBack: boolean
}

/** A set of policy files in few words. All may be done that it doesn't name. */
export type SimPolicy = {
  readonly limits: readonly SimLimit[]
  /** Larger orders wait for a person. */
  readonly heldOver: number
  /** Whose orders are refused. */
  readonly denied?: string
  /** For how long the same body isn't signed again without an idempotency key. */
  readonly repeatWithinMs?: number
}

export const policies: readonly SimPolicy[] = [
  {
    limits: [
      limit("pace", { counts: "requests", per: "key", windowMs: 2_000, max: 4 }),
      limit("worth", { counts: "notional", per: "all", windowMs: 60_000, max: 20 }),
    ],
    heldOver: 4,
  },
  {
    limits: [
      limit("tight", { counts: "notional", per: "all", windowMs: 60_000, max: 12 }),
      limit("back", {
        counts: "notional",
        per: "client",
        windowMs: 10_000,
        max: 9,
        givesBack: true,
      }),
    ],
    heldOver: 3,
    denied: "bob",
  },
  {
    limits: [
      limit("long", { counts: "requests", per: "all", windowMs: 3_600_000, max: 10 }),
      limit("own", {
        counts: "requests",
        per: "client",
        windowMs: 10_000,
        max: 3,
        givesBack: true,
      }),
    ],
    heldOver: 5,
  },
  {
    limits: [
      limit("many", { counts: "requests", per: "all", windowMs: 10_000, max: 6 }),
      limit("life", { counts: "notional", per: "client", windowMs: Infinity, max: 15 }),
    ],
    heldOver: 5,
    repeatWithinMs: 10_000,
  },
]

function limit(
  name: string,
  rest: Omit<SimLimit, "name" | "givesBack"> & Partial<SimLimit>,
): SimLimit {
  return { name, givesBack: false, ...rest }
}

/** The same as files that the vault reads; each is read once. */
export const fileSets: readonly FileSet[] = policies.map((policy) => {
  const read = parseFileSet([
    { name: "countersign.yaml", text: settings },
    { name: "venue.yaml", text: sandboxProfile({ url: sandboxUrl, asOf: new Date(startMs) }) },
    ...policyTexts(policy).map((text, index) => ({ name: `policies/${index}.yaml`, text })),
  ])
  if (!read.ok) throw new Error(read.error.map(({ message }) => message).join("\n"))
  return { ...read.value, texts: [] } // which the ledger would keep, and nothing here reads again
})

function policyTexts({ limits, heldOver, denied, repeatWithinMs }: SimPolicy): readonly string[] {
  const all = [
    "policy: all",
    ...(repeatWithinMs === undefined ? [] : [`repeat_within: ${repeatWithinMs / 1_000}s`]),
    "rules: [{name: trade, endpoints: [placeOrder, cancelOrder]}]",
    `hold: [{name: large, endpoints: [placeOrder], over_quantity: "${heldOver}", ttl: 30s}]`,
    "limits:",
    ...limits.map((each) => `  - ${limitText(each)}`),
    "",
  ]
  const deny = `policy: deny\napplies_to: {clients: [${denied ?? ""}]}\ndeny: [{name: orders, endpoints: [placeOrder]}]\n`
  return [all.join("\n"), ...(denied === undefined ? [] : [deny])]
}

function limitText({ name, counts, per, windowMs, max, givesBack }: SimLimit): string {
  const what =
    counts === "requests"
      ? "endpoints: [placeOrder], count: requests"
      : "endpoints: [placeOrder], sum: submitted_notional"
  const release = givesBack ? ", release: refused" : ""
  const window = windowMs === Infinity ? "ever" : `${windowMs / 1_000}s`
  return `{name: ${name}, ${what}, per: ${per}, window: ${window}, max: "${max}"${release}}`
}

/** A bot, as it was added. */
export type Bot = Pick<Client, "name" | "keys" | "idempotency_by"> & { readonly token: string }

/** Two share a key; one is known by its orders' ids. */
export const bots: readonly Bot[] = [
  bot("alice", ["main", "spare"]),
  bot("bob", ["main"]),
  { ...bot("carol", ["spare"]), idempotency_by: "client_order_id" },
]

function bot(name: string, keys: Client["keys"]): Bot {
  return { name, keys, token: `cs_${name.padEnd(43, "x")}` }
}

/** What the operator added before anything else. */
export const added = {
  keys: keyNames.map(keyOf),
  clients: bots.map(({ token, ...bot }): Client => ({
    ...{ ...bot, token_hash: hashToken(token), rights: [], allow_type_b: false },
  })),
}

function keyOf(name: KeyName): KeyEntry {
  const { network } = fileSets[0]!.profile
  const standing = { wallet: null, targets: [], approval: "unknown", expires_at: null } as const
  return { name, address: addressOf(name), role: "agent", network, ...standing }
}
