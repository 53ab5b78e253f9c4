import { InvalidArgumentError } from "commander"

import { clientRights } from "../../link/calls/methods.ts"
import type { ClientRight } from "../../vault/ledger/records/bindings.ts"
import { argument, choice, flag, option, repeated, required, withDefault } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"

/** `countersign clients add NAME` */
export const clientsAdd = adminCommand({
  changes: "installation",
  description: "give a bot a name, its keys and a token",
  examples: [
    "countersign clients add mm-bot --keys mm",
    "countersign clients add feed --keys mm --right prices",
  ],
  options: {
    name: argument("<name>", "what the bot is called here"),
    keys: required(
      option("--keys <names>", "keys it may use, separated by commas; the first is its default"),
    ),
    rights: repeated(
      "--right <right>",
      `what it may do besides asking for signatures: ${clientRights.join(", ")}; once for each`,
      parseRight,
    ),
    allowTypeB: flag(
      "--allow-type-b",
      "let it use wallet keys, for the account operations that a policy allows",
    ),
    idempotency: withDefault(
      choice(
        "--idempotency <by>",
        "what marks an order as a repeat where no Idempotency-Key is sent: nothing, or its client_order_id",
        ["header", "client-order-id"],
      ),
      "header",
    ),
  },
  call: (admin, { name, keys, rights, allowTypeB, idempotency }) =>
    admin.call("addClient", {
      name,
      keys: keys.split(","),
      rights: [...new Set(rights)],
      allowTypeB,
      idempotencyBy: idempotency === "header" ? "header" : "client_order_id",
    }),
  print: ({ token }, { name }) => [`${name} is added. Its token is shown this once:`, token],
})

function parseRight(word: string): ClientRight {
  const right = clientRights.find((known) => known === word)
  if (right !== undefined) return right
  throw new InvalidArgumentError(`Rights are ${clientRights.join(", ")}.`)
}
