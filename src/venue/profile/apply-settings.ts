import { isBatch, undisclosedItems, undisclosedStruct, undisclosedTag } from "../endpoints.ts"
import type { Disclosed, Endpoint, OperationId, PayloadShape, Signing } from "../profile.ts"
import type { EndpointSettings } from "./profile-schema.ts"

/** Applies venue.yaml's settings of an endpoint. They were checked before. */
export function applySettings(endpoint: Endpoint, settings: EndpointSettings): Endpoint {
  const signing = signingOf(endpoint, settings)
  const { fields, applies_flags } = settings
  const shape = shapeOf(endpoint, settings)
  return { ...endpoint, signing, shape, fields, appliesFlags: applies_flags === "true" }
}

function signingOf(endpoint: Endpoint, settings: EndpointSettings): Disclosed<Signing> {
  const { action_tag: tag, struct, signing } = settings
  if (endpoint.signing.known) return endpoint.signing
  if (tag !== undefined) return typeA(endpoint.id, tag, settings)
  if (struct !== undefined) return { known: true, value: { type: "B", struct } }
  if (signing === "A") return undisclosedTag(endpoint.id, endpoint.area)
  if (signing === "B") return undisclosedStruct(endpoint.id)
  return endpoint.signing
}

/** A batch that makes orders is signed only if they can be counted; a cancel needs no count. */
function typeA(id: OperationId, tag: number, { items }: EndpointSettings): Disclosed<Signing> {
  const isUncounted = isBatch(id) && id !== "cancelBatch" && items === undefined
  return isUncounted ? undisclosedItems(id, tag) : { known: true, value: { type: "A", tag } }
}

function shapeOf(endpoint: Endpoint, settings: EndpointSettings): PayloadShape {
  const { items, item_like, order_id: orderId } = settings
  if (endpoint.shape.kind !== "opaque") return endpoint.shape
  if (settings.struct !== undefined) return { kind: "struct" }
  if (settings.like !== undefined && orderId !== undefined)
    return { kind: "order_with_id", orderId }
  if (items === undefined) return endpoint.shape
  return item_like === undefined
    ? { kind: "item_list", items }
    : { kind: "order_list", items, orderId }
}
