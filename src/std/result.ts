/** Either a value or the reason why there is none. A "no" is returned; only faults are thrown. */
export type Result<Value, Problem> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: Problem }

/** Wraps a value as success. */
export function ok<Value>(value: Value): { readonly ok: true; readonly value: Value } {
  return { ok: true, value }
}

/** Wraps a reason as failure. */
export function err<Problem>(error: Problem): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error }
}
