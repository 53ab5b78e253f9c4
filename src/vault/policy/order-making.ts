import type { OperationId } from "../../venue/profile.ts"

/** The operations that make orders: the only ones that order matchers and size bounds speak of. */
export const orderMakingOperations: ReadonlySet<OperationId> = new Set<OperationId>([
  "placeOrder",
  "modifyOrder",
  "chaseOrder",
  "placeBatch",
  "modifyBatch",
])
