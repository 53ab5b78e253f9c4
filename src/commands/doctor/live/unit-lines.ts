import { join } from "node:path"

import type { Installation } from "../../../vault/config/installation.ts"
import { relayDir, systemInstallation } from "../../service/layout.ts"
import { statusOf, type System } from "../../service/system.ts"
import { holds, lacks, notKnown, type LiveLine } from "./live-line.ts"

/** Tenths, of systemd's figure: 0 is the safest, 100 the least safe. Gate and relay speak IP, which alone is over 6. */
export const mostTenths = {
  "countersign-vault.service": 3,
  "countersign-gate.service": 12,
  "countersign-relay.service": 12,
} as const

/** Where there is one, the relay is looked at too. */
const relay = "countersign-relay.service"

/** Whether gate and vault are the two units, and as closed as this version has them. Asks systemd, so not as the vault's user. */
export function unitLines(system: System, { stateDir }: Installation): readonly LiveLine[] {
  if (stateDir !== systemInstallation.stateDir) {
    const message =
      "This isn't the services' installation: under serve, gate and vault are one user, in no sandbox."
    return [lacks("units", message, "countersign install-service")]
  }
  const hasRelay = statusOf(system, join(relayDir, "relay.yaml")) !== undefined
  const lines = Object.entries(mostTenths)
    .filter(([unit]) => hasRelay || unit !== relay)
    .map(([unit, tenths]) => unitLine(system, unit, tenths))
  const wrong = lines.filter(({ state }) => state !== "ok")
  if (wrong.length > 0) return wrong
  return [holds("units", lines.map(({ message }) => message).join(" "))]
}

function unitLine(system: System, unit: string, tenths: number): LiveLine {
  const look = `systemd-analyze security ${unit}`
  const said = exposureOf(system, unit, tenths)
  if (said === "untold") return notKnown("units", `systemd tells nothing of ${unit}.`, look)
  const { figure, isWithin } = said
  if (figure === undefined) {
    return lacks("units", `There is no unit ${unit}.`, "countersign install-service")
  }
  const most = tenths / 10
  if (isWithin) return holds("units", `${unit} is exposed by ${figure}, and ${most} is the most.`)
  const fix = `systemctl cat ${unit}, and take away the drop-in that opens it`
  return lacks("units", `${unit} is exposed by ${figure}, over ${most}.`, fix)
}

type Exposure = { readonly figure: string | undefined; readonly isWithin: boolean }

function exposureOf(system: System, unit: string, tenths: number): Exposure | "untold" {
  const words = ["security", "--no-pager", `--threshold=${tenths}`, unit]
  try {
    const { code, stdout, stderr } = system.run("systemd-analyze", words)
    const [, figure] = /exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? []
    if (figure !== undefined) return { figure, isWithin: code === 0 }
    return /not found|No such/.test(stderr) ? { figure, isWithin: false } : "untold"
  } catch {
    return "untold" // there is no systemd-analyze
  }
}
