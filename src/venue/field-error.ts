/** One broken rule of the venue's interface. `path` is a JSON Pointer into the bot's body; `""` is the body itself. */
export type FieldError = { readonly path: string; readonly rule: string; readonly message: string }

/** Appends one step to a JSON Pointer (RFC 6901 §3: `~` is `~0`, `/` is `~1`). */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
}
