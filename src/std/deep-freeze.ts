/**
 * Freezes plain objects, arrays and the values of maps, all the way down, and returns them.
 *
 * What a language can't freeze stays guarded by its type alone: a `ReadonlyMap`'s entries and the
 * bytes of a `Uint8Array`.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
  const inner: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value)
  for (const part of inner) deepFreeze(part)
  return Object.freeze(value)
}
