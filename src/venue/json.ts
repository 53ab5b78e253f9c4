/** A JSON value as the strict reader makes it: deeply frozen, objects without a prototype, numbers only safe integers. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export type JsonObject = { readonly [key: string]: JsonValue }

/** Narrows to an object; an array or `null` isn't one. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** One broken rule of the venue's interface. `path` is a JSON Pointer into the bot's body; `""` is the body itself. */
export type FieldError = { readonly path: string; readonly rule: string; readonly message: string }

/** Appends one step to a JSON Pointer (RFC 6901 §3: `~` is `~0`, `/` is `~1`). */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
}

const pointerPattern = /^(?:\/(?:[^~/]|~[01])+)+$/

/** The steps of a JSON Pointer (RFC 6901) of at least one step, none of them empty; else `undefined`. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (!pointerPattern.test(text)) return undefined
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/** What a pointer leads to, and the fields that stand beside its way in the objects it goes through. */
export type Found = {
  readonly value: JsonValue | undefined
  /** Pointers to fields of the objects below the body that the way doesn't use. */
  readonly beside: readonly string[]
}

/** Follows `pointer` through objects; `value` is `undefined` when it leads nowhere. */
export function findAt(body: JsonObject, pointer: string): Found {
  let value: JsonValue | undefined = body
  let path = ""
  const beside: string[] = []
  for (const step of parsePointer(pointer) ?? []) {
    if (!isJsonObject(value)) return { value: undefined, beside }
    const parent = path
    if (parent !== "") {
      const others = Object.keys(value).filter((name) => name !== step)
      beside.push(...others.map((name) => pointerTo(parent, name)))
    }
    value = Object.hasOwn(value, step) ? value[step] : undefined
    path = pointerTo(parent, step)
  }
  return { value, beside }
}
