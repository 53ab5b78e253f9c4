import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { addressWeight } from "../../../../src/vault/request/spending.ts"
import type { OperationId } from "../../../../src/venue/profile.ts"
import { builtinProfile } from "../../../../src/venue/builtin-profile.ts"
import { endpointOf } from "../../venue/profile-text.ts"

const cases: readonly { id: OperationId; batchLength: number; weight: number }[] = [
  { id: "placeOrder", batchLength: 1, weight: 1 },
  { id: "placeBatch", batchLength: 9, weight: 1 },
  { id: "placeBatch", batchLength: 10, weight: 2 },
  { id: "placeBatch", batchLength: 19, weight: 2 },
  { id: "placeBatch", batchLength: 20, weight: 3 },
  { id: "modifyBatch", batchLength: 100, weight: 11 },
  { id: "cancelBatch", batchLength: 10, weight: 2 },
  { id: "cancelAll", batchLength: 1, weight: 5 },
  { id: "setPositionMode", batchLength: 1, weight: 40 },
  { id: "setLeverage", batchLength: 1, weight: 2 },
  { id: "adjustIsolatedMargin", batchLength: 1, weight: 2 },
  { id: "approveAgent", batchLength: 1, weight: 40 },
  { id: "withdraw", batchLength: 100, weight: 40 },
]

describe("the weight against the address budget", () => {
  for (const { id, batchLength, weight } of cases) {
    it(`is ${weight} for ${id} of ${batchLength}`, () => {
      assert.equal(addressWeight(endpointOf(builtinProfile, id), batchLength), weight)
    })
  }
})
