import * as z from "zod"

/** A key with one sentence about it and an example. Editors and the reference show both. */
export function required<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
): Schema {
  return schema.meta({ description, example })
}

/** A key that may be left out, described like a required one. */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
) {
  return required(schema.optional(), description, example)
}

/** The message for a value that isn't a map. */
export function objectError(expected: string) {
  return (issue: { readonly code?: string }): string | undefined =>
    issue.code === "invalid_type" ? `must be ${expected}` : undefined
}

/** Reports a problem from a transform, at `path` below the value. */
export function tell(context: z.RefinementCtx, message: string, ...path: string[]): void {
  context.issues.push({ code: "custom", input: undefined, message, path })
}
