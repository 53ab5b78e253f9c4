import { Option } from "commander"

import type { ClientView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { ClientRight } from "../../vault/ledger/records/bindings.ts"
import type { Line } from "../cli/print.ts"
import { argument, flag, option, taken } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { clientNamed, expiryWords, keysNamed, rightsOption } from "./client-options.ts"

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
  },
  call: async (admin, { name, keys, rights, keepsRights, allowTypeB }) => {
    const given = {
      keys: keys === undefined ? undefined : await keysNamed(keys, admin),
      rights: rightsOf(rights, keepsRights),
      allowTypeB,
    }
    if (Object.values(given).every((each) => each === undefined)) {
      throw new Fault("usage", "Say what to change: --keys, --right or --allow-type-b.")
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
  ["repeats known by", ({ idempotency_by: by }) => (by === "header" ? "Idempotency-Key" : by)],
]
