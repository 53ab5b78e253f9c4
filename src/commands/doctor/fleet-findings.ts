import type { Installation } from "../../vault/config/installation.ts"
import type { ServerStand } from "../installation/ask-server.ts"
import { systemInstallation } from "../service/layout.ts"
import { quoted } from "../../std/visible.ts"
import { ok, warn, type Finding } from "./finding.ts"
import { spanWords } from "../../std/time/time-words.ts"

/** A host speaks once a second, whatever it has to do. */
const silentMs = 10_000

/** Which of the hosts that share the ledger are there. */
export function fleetFindings(stand: ServerStand): readonly Finding[] {
  const { host, hosts, entry, server } = stand
  const here = ok(
    "fleet",
    `This is host ${host} of ${hosts.join(", ")}. Its last entry is ${entry}.`,
  )
  if (server === "closed" || server === "unreadable") return [here]
  const sessions = server.sessions ?? {}
  const entries = server.entries ?? {}
  const others = hosts.filter((name) => name !== host)
  const strangers = Object.keys(sessions).filter((name) => !hosts.includes(name))
  return [
    here,
    ...others.map((name) => hostFinding({ name, agoMs: sessions[name], entry: entries[name] })),
    ...strangers.map((name) =>
      warn(
        "fleet",
        `Host ${quoted(name)} is connected, and ledger.fleet.hosts doesn't list it here.`,
        "have the same list on all hosts, then restart this one",
      ),
    ),
  ]
}

type Other = {
  readonly name: string
  readonly agoMs: number | undefined
  readonly entry: number | undefined
}

function hostFinding({ name, agoMs, entry }: Other): Finding {
  const added = entry === undefined ? "" : ` The last entry that it added is ${entry}.`
  const look = `countersign status on ${name}, and its log`
  if (agoMs === undefined) {
    const message = `Host ${name} isn't connected with PostgreSQL, so it signs nothing.${added}`
    return warn("fleet", message, look)
  }
  if (agoMs > silentMs) {
    const message = `Host ${name} is connected, and stands still for ${spanWords(agoMs)}.${added}`
    return warn("fleet", message, look)
  }
  return ok("fleet", `Host ${name} is connected.${added}`)
}

/** PostgreSQL where no daemon runs that could ask it. */
export function unaskedFinding(
  { host, replicas, hosts }: NamedLedger,
  { stateDir }: Pick<Installation, "stateDir">,
): Finding {
  const whose = hosts === undefined ? "" : ` of ${[...hosts.keys()].join(", ")}`
  const message = `Only a running daemon can ask it, and none answers. By countersign.yaml this is host ${host}${whose}, and commits wait for ${replicas} standbys.`
  const fix =
    stateDir === systemInstallation.stateDir
      ? "journalctl -u countersign-vault -u countersign-relay -n 20 says what a start waits for"
      : "what countersign serve prints says what a start waits for"
  return warn("postgres", message, fix)
}

type NamedLedger = {
  readonly host: string
  readonly replicas: number
  readonly hosts?: ReadonlyMap<string, string>
}
