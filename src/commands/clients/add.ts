import { InvalidArgumentError, Option, type Command } from "commander"

import { clientRights } from "../../link/methods.ts"
import type { ClientRight } from "../../vault/bindings.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

type AddOptions = InstallationOptions &
  Printing & {
    readonly keys: string
    readonly right: readonly ClientRight[]
    readonly allowTypeB?: boolean
    readonly idempotency: "header" | "client-order-id"
  }

/** `countersign clients add NAME` */
export function clientsAdd(): Command {
  const made = command("add", "give a bot a name, its keys and a token")
    .argument("<name>", "what the bot is called here")
    .requiredOption(
      "--keys <names>",
      "keys it may use, separated by commas; the first is its default",
    )
    .option(
      "--right <right>",
      `what it may do besides asking for signatures: ${clientRights.join(", ")}; once for each`,
      collectRight,
      [],
    )
    .option(
      "--allow-type-b",
      "let it use wallet keys, and so account operations that policy allows",
    )
    .addOption(
      new Option(
        "--idempotency <by>",
        "what makes an order the same one where no Idempotency-Key is sent: nothing, or its client_order_id",
      )
        .choices(["header", "client-order-id"])
        .default("header"),
    )
  withExamples(
    made,
    "countersign clients add mm-bot --keys mm",
    "countersign clients add feed --keys mm --right prices",
  )
  return runs<AddOptions>(withJson(withInstallation(made)), add)
}

async function add(options: AddOptions, name = ""): Promise<void> {
  const answer = await withAdmin(options, (admin) =>
    admin.call("addClient", {
      name,
      keys: options.keys.split(","),
      rights: [...new Set(options.right)],
      allowTypeB: options.allowTypeB === true,
      idempotencyBy: options.idempotency === "header" ? "header" : "client_order_id",
    }),
  )
  print(answer, options, ({ token }) => [`${name} is added. Its token is shown this once:`, token])
}

function collectRight(word: string, earlier: readonly ClientRight[]): readonly ClientRight[] {
  const right = clientRights.find((known) => known === word)
  if (right !== undefined) return [...earlier, right]
  throw new InvalidArgumentError(`Rights are ${clientRights.join(", ")}.`)
}
