import { fetchDirect } from "../../../client/fetch-direct.ts"
import type { StatusView } from "../../../link/views/views.ts"
import { toldReason } from "../../../link/views/signing.ts"
import { version } from "../../../std/version.ts"
import { hostInUrl } from "../../cli/host-in-url.ts"
import { holds, lacks, notKnown, type LiveLine } from "./live-line.ts"

/** Whether all that policies allow is signed now. What narrower reasons keep back, other lines tell. */
export function daemonLines({ state, pid }: StatusView): readonly LiveLine[] {
  if (state.signs === "all") {
    return [holds("daemon", `It runs (pid ${pid}), and signs what policies allow.`)]
  }
  return state.reasons
    .filter(({ scope }) => scope === "all")
    .map((reason) => lacks("daemon", toldReason(reason), reason.fix))
}

/** Whether the vault and the gate that run are this program's version. */
export async function versionLines(
  { version: vault }: Pick<StatusView, "version">,
  at: { readonly host: string; readonly port: number; readonly restart: string },
  ask = askGate,
): Promise<readonly LiveLine[]> {
  const where = `${hostInUrl(at.host)}:${at.port}`
  const gate = await ask(`http://${where}/openapi.json`)
  if (gate === undefined) {
    const message = `the gate doesn't answer at ${where}.`
    return [notKnown("versions", message, at.restart)]
  }
  if (vault === version && gate === version) {
    return [holds("versions", `Vault, gate and this program are ${version}.`)]
  }
  const message = `This program is ${version}, the vault that runs ${vault}, the gate ${gate}.`
  return [lacks("versions", message, at.restart)]
}

/** How long the gate may take to answer. */
const longestWaitMs = 3_000

/** The version that a gate says in its contract, which it reads once, when it starts. */
async function askGate(url: string): Promise<string | undefined> {
  try {
    const answer = await fetchDirect(url, { signal: AbortSignal.timeout(longestWaitMs) })
    const contract = (await answer.json()) as { readonly info?: { readonly version?: unknown } }
    const said = contract.info?.version
    return typeof said === "string" ? said : undefined
  } catch {
    return undefined
  }
}
