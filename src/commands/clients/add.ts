import { argument, choice, flag, option, required, withDefault } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { expiresInOption, expiryWords, keysNamed, rightsOption } from "./client-options.ts"
import { tokenInto, tokenLines, tokenOutOption, type TokenAnswer } from "./token-file.ts"

/** `countersign clients add NAME` */
export const clientsAdd = adminCommand({
  changes: "installation",
  description: "give a bot a name, its keys and a token",
  examples: [
    "countersign clients add mm-bot --keys mm",
    "countersign clients add mm-bot --keys mm --out mm-bot.token",
    "countersign clients add feed --keys mm --right prices --expires-in 30d",
  ],
  options: {
    name: argument("<name>", "what the bot is called here"),
    keys: required(
      option("--keys <names>", "keys it may use, separated by commas; the first is its default"),
    ),
    rights: rightsOption,
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
    expiresInMs: expiresInOption("how long its token is good, like 30d; for ever if left out"),
    ...tokenOutOption,
  },
  around: (options, ask: () => Promise<Added>) => tokenInto(options, ask),
  call: async (
    admin,
    { name, keys, rights, allowTypeB, idempotency, expiresInMs },
  ): Promise<Added> =>
    admin.call("addClient", {
      name,
      keys: await keysNamed(keys, admin),
      rights: [...new Set(rights)],
      allowTypeB,
      idempotencyBy: idempotency === "header" ? "header" : "client_order_id",
      expiresInMs,
    }),
  print: ({ name, expires_at, ...token }) => [
    ...tokenLines(token, `${name} is added. Its token`),
    ...(expires_at === null ? [] : [`It ${expiryWords({ expires_at, expired: false })}.`]),
  ],
})

type Added = TokenAnswer & { readonly name: string; readonly expires_at: number | null }
