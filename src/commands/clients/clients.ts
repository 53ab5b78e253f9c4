import { Option } from "commander"

import type { ClientView } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import type { ClientRight } from "../../vault/ledger/records/bindings.ts"
import { argument, choice, flag, option, required, withDefault, taken } from "../cli/command.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/installation-command.ts"
import {
  expiresInOption,
  expiryWords,
  keysNamed,
  paperKeys,
  rightsOption,
  clientNamed,
  tokenInto,
  tokenLines,
  tokenOutOption,
  type TokenAnswer,
} from "./client-options.ts"

/** `countersign clients add NAME` */
export const clientsAdd = adminCommand({
  changes: "installation",
  description: "give a bot a name, its keys and a token",
  examples: [
    "countersign clients add mm-bot --keys mm",
    "countersign clients add mm-bot --keys mm --out mm-bot.token",
    "countersign clients add feed --keys mm --right prices --expires-in 30d",
    "countersign clients add try-out --keys mm --paper",
  ],
  options: {
    name: argument("<name>", "what the bot is called here"),
    keys: required(
      option("--keys <names>", "keys it may use, separated by commas; the first is its default"),
    ),
    isPaper: flag(
      "--paper",
      "let it trade on paper alone, with paper keys that stand for these; they are made where there are none",
    ),
    rights: rightsOption,
    allowTypeB: flag(
      "--allow-type-b",
      "let it use wallet keys, for the account operations that a policy allows",
    ),
    forwardOnly: flag(
      "--forward-only",
      "give it no signed body: what it asks for is sent to the venue, or not at all",
    ),
    idempotency: withDefault(
      choice(
        "--idempotency <by>",
        "what marks an order as a repeat where no Idempotency-Key is sent: nothing, or its client_order_id",
        ["header", "client-order-id"],
      ),
      "header",
    ),
    expiresInMs: expiresInOption("how long its token is good, like 30d; for ever if left out"),
    ...tokenOutOption,
  },
  around: (options, ask: () => Promise<Added>) => tokenInto(options, ask),
  call: async (admin, { name, keys, isPaper, rights, idempotency, ...given }): Promise<Added> => {
    const named = await keysNamed(keys, admin)
    return admin.call("addClient", {
      name,
      keys: isPaper ? await paperKeys(named, admin) : named,
      rights: [...new Set(rights)],
      allowTypeB: given.allowTypeB,
      forwardOnly: given.forwardOnly,
      idempotencyBy: idempotency === "header" ? "header" : "client_order_id",
      expiresInMs: given.expiresInMs,
    })
  },
  print: ({ name, expires_at, ...token }) => [
    ...tokenLines(token, `${name} is added. Its token`),
    ...(expires_at === null ? [] : [`It ${expiryWords({ expires_at, expired: false })}.`]),
  ],
})

type Added = TokenAnswer & { readonly name: string; readonly expires_at: number | null }

/** `countersign clients set NAME`: changes what a client may use; its token stays. */
export const clientsSet = adminCommand({
  changes: "installation",
  description: "change what a bot may use, from now on and with the same token",
  examples: [
    "countersign clients set mm-bot --keys mm,mm2",
    "countersign clients set mm-bot --right heartbeat --no-allow-type-b",
  ],
  notes: "What isn't named stays as it is. Keys and rights are these and no others.",
  options: {
    name: argument("<name>", "the client"),
    keys: option("--keys <names>", "its keys, separated by commas; the first is its default"),
    rights: rightsOption,
    keepsRights: flag("--no-rights", "let it do nothing besides asking for signatures"),
    allowTypeB: taken<boolean | undefined>(new Option("--allow-type-b", "let it use wallet keys")),
    noTypeB: flag("--no-allow-type-b", "don't let it use wallet keys any more"),
    forwardOnly: taken<boolean | undefined>(
      new Option("--forward-only", "give it no signed body any more"),
    ),
    mayHaveBodies: flag("--no-forward-only", "give it signed bodies"),
  },
  call: async (admin, { name, keys, rights, keepsRights, allowTypeB, forwardOnly }) => {
    const given = {
      keys: keys === undefined ? undefined : await keysNamed(keys, admin),
      rights: rightsOf(rights, keepsRights),
      allowTypeB,
      forwardOnly,
    }
    if (Object.values(given).every((each) => each === undefined)) {
      throw new Fault(
        "usage",
        "Say what to change: --keys, --right, --allow-type-b or --forward-only.",
      )
    }
    const from = await clientNamed(name, admin)
    return { from, to: await admin.call("setClient", { name, ...given }) }
  },
  print: changeLines,
})

function rightsOf(rights: readonly ClientRight[], keepsRights: boolean): ClientRight[] | undefined {
  if (rights.length === 0) return keepsRights ? undefined : []
  if (keepsRights) return [...new Set(rights)]
  throw new Fault("usage", "Name its rights with --right, or say --no-rights.")
}

type Change = { readonly from: ClientView; readonly to: ClientView }

/** What is otherwise now, from what to what, and then what isn't. */
function changeLines({ from, to }: Change): readonly Line[] {
  const isSame = (show: (client: ClientView) => string): boolean => show(from) === show(to)
  const changed = shown.filter(([, show]) => !isSame(show))
  const same = shown.filter(([, show]) => isSame(show))
  const kept = same.map(([what, show]) => `${what} ${show(to)}`)
  return [
    `${to.name} ${changed.length === 0 ? "was so already, and is recorded as it is." : "from now on:"}`,
    ...changed.map(([what, show]) => `  ${what}: ${show(from)} → ${show(to)}`),
    `As before: ${[...kept, `the token, which ${expiryWords(to)}`].join("; ")}.`,
  ]
}

const shown: readonly (readonly [what: string, show: (client: ClientView) => string])[] = [
  ["keys", ({ keys }) => keys.join(", ")],
  ["rights", ({ rights }) => rights.join(", ") || "none"],
  ["account operations (type B)", ({ allow_type_b: mayTypeB }) => (mayTypeB ? "yes" : "no")],
  ["signed bodies", ({ forward_only: isKept }) => (isKept ? "none" : "given")],
  ["repeats known by", ({ idempotency_by: by }) => (by === "header" ? "Idempotency-Key" : by)],
]

/** `countersign clients list` */
export const clientsList = adminCommand({
  description: "show the bots and what they may use",
  examples: ["countersign clients list"],
  call: (admin) => admin.call("listClients", {}),
  print: clientsTable,
})

function clientsTable(clients: readonly ClientView[]): readonly Line[] {
  if (clients.length === 0) return ["No clients yet; countersign clients add makes one."]
  const rows = clients.map((client) => [
    client.name,
    client.keys.join(","),
    client.rights.join(",") || "-",
    client.allow_type_b ? "yes" : "no",
    client.forward_only ? "none" : "given",
    client.revoked ? "revoked" : expiryWords(client),
  ])
  return [table(["NAME", "KEYS", "RIGHTS", "TYPE B", "BODIES", "TOKEN"], rows)]
}

const usualMs = 30 * 86_400_000

/** `countersign clients renew NAME`: more time for the same token; `clients rotate` gives another one. */
export const clientsRenew = adminCommand({
  changes: "installation",
  description: "give a bot's token that expires more time, also one that has expired",
  examples: ["countersign clients renew bot", "countersign clients renew bot --expires-in 90d"],
  options: {
    name: argument("<name>", "the client"),
    expiresInMs: expiresInOption("how long it is good from now on; 30d if left out"),
  },
  call: async (admin, { name, expiresInMs }) => {
    const from = await clientNamed(name, admin)
    if (from.expires_at === null && expiresInMs === undefined) {
      throw new Fault("usage", `The token of ${name} never expires; --expires-in gives it an end.`)
    }
    const to = await admin.call("setClient", { name, expiresInMs: expiresInMs ?? usualMs })
    return { from, to }
  },
  print: ({ from, to }: Change) => [
    `The token of ${to.name} ${expiryWords(to)}; before: ${expiryWords(from)}.`,
  ],
})

/** `countersign clients rotate NAME`: a new token with the old one's end; the old one is refused at once. */
export const clientsRotate = adminCommand({
  changes: "installation",
  description: "give a bot a new token; the old one is refused from then on",
  examples: ["countersign clients rotate bot", "countersign clients rotate bot --yes"],
  options: { name: argument("<name>", "the client"), ...tokenOutOption },
  question: ({ name }) =>
    `Replace the token of ${name}? The bot is refused until it has the new one.`,
  around: (options, ask: () => Promise<Rotated>) => tokenInto(options, ask),
  call: async (admin, { name }): Promise<Rotated> => {
    // First, so that nothing can come between the new token and its being shown.
    const { expires_at, expired } = await clientNamed(name, admin)
    const { token } = await admin.call("rotateToken", { name })
    return { name, token, expires_at, expired }
  },
  print: ({ token, file, ...end }, { name }) => [
    ...tokenLines({ token, file }, `${name} has a new token. It`),
    ...(end.expires_at === null
      ? []
      : [
          `It ${expiryWords(end)}, as the old one; countersign clients renew ${name} changes that.`,
        ]),
  ],
})

type Rotated = TokenAnswer & Pick<ClientView, "name" | "expires_at" | "expired">

/** `countersign clients revoke NAME`: its token is refused from then on, for good. */
export const clientsRevoke = adminCommand({
  changes: "installation",
  description: "refuse a bot's token from now on, for good",
  examples: ["countersign clients revoke bot", "countersign clients revoke bot --yes"],
  options: { name: argument("<name>", "the client") },
  question: ({ name }) => `Revoke the client ${name} for good?`,
  call: (admin, { name }) => admin.call("revokeClient", { name }),
  print: (_client, { name }) => [
    `${name} is revoked: its token is refused, and the name stays taken.`,
  ],
})
