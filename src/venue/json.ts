/** A JSON value as the strict reader makes it: deeply frozen, objects without a prototype, numbers only safe integers. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export type JsonObject = { readonly [key: string]: JsonValue }

/** Narrows to an object; an array or `null` isn't one. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
