import type { Installation } from "../../vault/config/installation.ts"
import { fixHere } from "../installation/usual-installation.ts"
import type { Admin } from "../installation/admin.ts"
import { askStatus } from "../installation/ask-daemon.ts"
import { fleetStatus } from "./fleet-status.ts"
import type { DaemonStatus } from "./status-lines.ts"

/** How it stands, with each fix as it has to be typed for this installation. */
export async function shownStatus(
  admin: Pick<Admin, "daemon" | "call">,
  installation: Installation,
): Promise<DaemonStatus> {
  const { state, warnings, files_differ: differ, ...told } = await askStatus(admin)
  const here = <Told extends { readonly fix: string }>(each: Told): Told => ({
    ...each,
    fix: fixHere(each.fix, installation),
  })
  return {
    daemon: admin.daemon,
    fleet: await fleetStatus(admin),
    raises: await admin.call("listRaises", {}),
    ...told,
    state: { ...state, reasons: state.reasons.map(here) },
    files_differ: differ && here(differ),
    warnings: warnings.map(here),
  }
}
