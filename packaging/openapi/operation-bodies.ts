import type { OperationId } from "../../src/venue/profile.ts"
import { refTo, type Json } from "./json-schema.ts"
import { shownRequest } from "./shown.ts"

type OperationBody = { readonly schema: Json; readonly example: object }

const order = shownRequest("POST /sign/v1/…") as object
const approval = shownRequest("POST /sign/v1/…", 1) as object
const withId = { order_id: "1000001" }

/** What each operation takes. Where the interface doesn't document it, the example is the sandbox's. */
export const operationBodies: Readonly<Record<OperationId, OperationBody>> = {
  placeOrder: { schema: refTo("PlaceOrder"), example: order },
  modifyOrder: payload({ ...order, ...withId }),
  cancelOrder: payload(withId),
  chaseOrder: payload(withId),
  placeBatch: payload({ orders: [order] }),
  modifyBatch: payload({ orders: [{ ...order, ...withId }] }),
  cancelBatch: payload({ order_ids: ["1000001"] }),
  cancelAll: payload({ symbol_id: 1 }),
  setPositionMode: payload({ position_mode: "one_way" }),
  setLeverage: payload({ symbol_id: 1, leverage: 5 }),
  adjustIsolatedMargin: payload({ symbol_id: 1, amount: "10", is_add: true }),
  approveAgent: { schema: refTo("ApproveAgent"), example: approval },
  revokeAgent: payload({ agent_address: "0x602959845502DB329f0969E7a60D7CB9B5BE857D" }),
  renewAgent: payload({
    agent_address: "0x602959845502DB329f0969E7a60D7CB9B5BE857D",
    valid_days: 30,
  }),
  createSub: payload({ label: "second" }),
  transfer: payload({ asset: "USD", amount: "10" }),
  withdraw: payload({ asset: "USD", amount: "10" }),
}

function payload(example: object): OperationBody {
  return { schema: refTo("Payload"), example }
}
