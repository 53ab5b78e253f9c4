import { placeOrderTag } from "../../src/venue/builtin-profile.ts"
import type { VenueKeys } from "./venue-key.ts"

/** The keys under an operation of `endpoints`. */
export const endpointKeys: VenueKeys = {
  "endpoints.action_tag": {
    form: "a whole number from 0 to 255",
    meaning: `The byte that tells a Type A operation from the others. Two operations can't share one; ${placeOrderTag} is placeOrder's.`,
    without: "the operation answers 501 `action_tag_undisclosed`",
    written: { type: "integer", minimum: 0, maximum: 255 },
  },
  "endpoints.signing": {
    meaning: "How an account operation is signed. Trade operations are always Type A.",
    without: "an account operation answers 501 `signing_type_undisclosed`",
  },
  "endpoints.struct": {
    form: 'an EIP-712 type, `"Name(type field,…)"`',
    meaning:
      "The message of a Type B operation. It has signerAddress, nonce and expiresAfter among its fields; the body has the others.",
    without: "a Type B operation answers 501 `struct_undisclosed`",
  },
  "endpoints.items": {
    form: "a JSON Pointer",
    meaning: "Where `placeBatch`, `modifyBatch` or `cancelBatch` has its list.",
    without:
      "`placeBatch` and `modifyBatch` answer 501 `items_undisclosed`, and `policy check` warns; a cancel counts as one",
  },
  "endpoints.item_like": {
    meaning: "Says that each item of `placeBatch` or `modifyBatch` is an order. Needs `items`.",
    without: "the items are counted and can't be read: rules that ask something of orders refuse",
  },
  "endpoints.like": {
    meaning: "Says that the body of `modifyOrder` is an order. Needs `order_id`.",
    without: "the order can't be read: rules that ask something of orders refuse",
  },
  "endpoints.order_id": {
    form: "a JSON Pointer",
    meaning: "Where a modify has the id of the order that it changes, beside that order's fields.",
    without: "`like`, and `item_like` of `modifyBatch`, are refused",
  },
  "endpoints.fields": {
    form: "a list of names",
    meaning: "The names that a cancel's body may have, at any depth. Any other is refused.",
    without:
      "a cancel is refused that has a field of an order's own, or over 4 KiB; `policy check` and `doctor` warn",
  },
  "endpoints.applies_flags": {
    form: "`true` or `false`",
    meaning:
      "Says that the venue applies the flags of a modify's order. Needs `like` or `item_like`.",
    without: "a modify that says reduce_only counts as an order, and passes no freeze",
    written: { type: "boolean" },
  },
}
