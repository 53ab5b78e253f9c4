import type { Installation } from "../../vault/config/installation.ts"
import { toldReason } from "../../link/views/signing.ts"
import type { DaemonLook } from "./daemon-findings.ts"
import { fixHere } from "./file-findings.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

/** What the daemon says that it signs, and each reason why not more. Where none runs, that is told by itself. */
export function signingFindings(
  daemon: DaemonLook,
  installation: Installation,
): readonly Finding[] {
  if (daemon.kind !== "running") return []
  const { reasons } = daemon.status.state
  if (reasons.length === 0) return [ok("signing", "It signs what policies allow.")]
  return reasons.map((reason) => {
    const { scope, signs, fix } = reason
    const say = scope === "all" && signs === "nothing" ? fail : warn
    return say("signing", toldReason(reason), fixHere(fix, installation))
  })
}
