import type { Result } from "../../std/result.ts"
import { type Curve, loadNativeCurve } from "./curve.ts"
import { nobleCurve } from "./noble-curve.ts"

/** The curve that signs here, and what an operator should know of that. */
export type PickedCurve = Curve & { readonly warning: string | undefined }

/** libsecp256k1 where it loads, else JavaScript, which says so. Loaded once a process, as an addon is. */
export function pickCurve(load: () => Result<Curve, string> = loadOnce): PickedCurve {
  const native = load()
  if (native.ok) return { ...native.value, warning: undefined }
  return { ...nobleCurve, warning: warningOf(native.error) }
}

let loaded: Result<Curve, string> | undefined

function loadOnce(): Result<Curve, string> {
  return (loaded ??= loadNativeCurve())
}

function warningOf(why: string): string {
  return `Signatures are made in JavaScript, some 20 times slower and not in constant time, and copies of keys stay in memory after a lock: libsecp256k1 can't be loaded (${why}).`
}
