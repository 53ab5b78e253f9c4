import type { Address } from "../../../venue/address.ts"
import type { Subject } from "../judged/judged-order.ts"
import type { JudgedRequest } from "../judged/judged-request.ts"
import { addressText, listOf } from "../values/scalars.ts"
import { sorted, type Matcher } from "./matcher.ts"

export const targetAddresses: Matcher<readonly Address[], Subject, "target_address_not_allowed"> = {
  key: "target_addresses",
  schema: () => listOf(addressText),
  written: "list of addresses",
  meaning: "Accounts that the request operates: its target_address, or else its signer.",
  example: ["0x2222222222222222222222222222222222222222"],
  reason: "target_address_not_allowed",
  fits: (addresses, { request }) => addresses.includes(accountOf(request)),
  asked: ({ request }) => accountOf(request),
  allowed: (addresses) => addresses.join(", "),
  form: sorted,
  narrowedBy: "fewer",
}

/** The account that a request operates: its target, or else its signer. */
export function accountOf({ target, key }: JudgedRequest): Address {
  return target ?? key.address
}
