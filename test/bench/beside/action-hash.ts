import { concat, keccak256, stringToHex, toHex, type Hex } from "viem"

import { placeOrderTag } from "../../../src/venue/builtin-profile.ts"

/** `keccak256(tag ‖ canonical_json)` as a bot makes it with viem. */
export function actionHashOf(canonicalOrder: string): Hex {
  return keccak256(concat([toHex(placeOrderTag, { size: 1 }), stringToHex(canonicalOrder)]))
}
