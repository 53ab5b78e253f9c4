import type { Result } from "../../std/result.ts"
import { type Curve, loadNativeCurve } from "./curve.ts"
import { nobleCurve } from "./noble-curve.ts"

/** The curve that signs here, and a warning for the operator, if any. */
export type PickedCurve = Curve & { readonly warning: string | undefined }

/** libsecp256k1 if it loads; if not, JavaScript with a warning. Loaded once per process, as addons are. */
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
