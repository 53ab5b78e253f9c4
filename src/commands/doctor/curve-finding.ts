import type { PickedCurve } from "../../vault/keyring/pick-curve.ts"
import { curveFix } from "../../vault/status/warnings.ts"
import { ok, warn, type Finding } from "./finding.ts"

/** Which library signs here. A daemon that can't load what is found here warns of it by itself. */
export function curveFinding({ name, warning }: PickedCurve): Finding {
  if (warning === undefined) return ok("curve", `${name} signs, in constant time.`)
  return warn("curve", warning, curveFix)
}
