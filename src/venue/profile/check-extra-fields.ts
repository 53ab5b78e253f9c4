import { parsePointer } from "../json.ts"
import { signingFieldOf } from "../payload/parse-payload.ts"
import { orderFields } from "../payload/order-fields.ts"
import { operationIds, type OperationId } from "../profile.ts"
import type { PlacedProblem } from "./placed-problem.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** Checks that `extra_fields` adds only new fields, and only to operations whose body can have more. */
export function checkExtraFields(value: ProfileFile): readonly PlacedProblem[] {
  return operationIds.flatMap((id) => {
    const names = value.extra_fields[id] ?? []
    if (names.length > 0 && isTypeB(id, value)) {
      const message = `${id} is Type B, whose body holds its struct's fields and no more; remove it`
      return [{ path: ["extra_fields", id], message }]
    }
    const taken = documentedFields(id, value)
    return names.flatMap((name, index): readonly PlacedProblem[] => {
      const path = ["extra_fields", id, index]
      if (signingFieldOf(name) !== undefined) {
        return [{ path, message: `${name} is a signing field, never an extra field; remove it` }]
      }
      if (!taken.includes(name)) return []
      return [{ path, message: `${name} is a field of ${id} already; remove it from extra_fields` }]
    })
  })
}

function isTypeB(id: OperationId, value: ProfileFile): boolean {
  return id === "approveAgent" || value.endpoints[id]?.signing === "B"
}

function documentedFields(id: OperationId, value: ProfileFile): readonly string[] {
  const settings = value.endpoints[id]
  const isOrder = id === "placeOrder" || settings?.like !== undefined
  const pointers = [settings?.items, settings?.like && settings.order_id]
  const first = pointers.flatMap((pointer) => parsePointer(pointer ?? "")?.[0] ?? [])
  return [...first, ...(isOrder ? orderFields.map((field) => field.name) : [])]
}
