import type { KeyView } from "../../link/views/views.ts"
import { choice, option, required, type Takes } from "../cli/options.ts"
import type { NewKey } from "./add-key.ts"

export type KeyOptions = {
  readonly name: string
  readonly role: "wallet" | "agent"
  readonly wallet: string | undefined
}

/** What `keys generate` and `keys import` both take. */
export const keyOptions: Takes<KeyOptions> = {
  name: required(option("--name <name>", "what the key is called here")),
  role: required(
    choice("--role <role>", "wallet keys sign account operations, agent keys trade for a wallet", [
      "wallet",
      "agent",
    ]),
  ),
  wallet: option("--wallet <name>", "the wallet key that an agent key acts for"),
}

/** As a call takes them. */
export function newKeyOf({ name, role, wallet }: KeyOptions): NewKey {
  return { name, role, ...(wallet === undefined ? {} : { wallet }) }
}

/** A new key, for people. */
export function keyLines(key: KeyView): readonly string[] {
  return [`${key.name}: ${key.role} key, address ${key.address}`]
}
