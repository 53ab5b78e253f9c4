import type { KeyView } from "../../../link/views/views.ts"
import type { FileSet } from "../../../vault/config/file-set.ts"
import type { PanicLine, Profile } from "../../../venue/profile.ts"
import type { Admin } from "../../installation/admin.ts"
import { agentsOf } from "./agent-lines.ts"
import { holds, lacks, type LiveLine } from "./live-line.ts"
import { rehearseCancels, type Rehearsed } from "./rehearse-cancels.ts"

type Asking = Pick<Admin, "call">

/** Whether a panic's cancels can be signed by every agent, and whether each agent's bot may cancel by policy. Nothing is sent. */
export async function rehearsalLines(
  files: FileSet,
  keys: readonly KeyView[],
  admin: Asking,
): Promise<readonly LiveLine[]> {
  const [line] = files.profile.panic
  if (line === undefined) {
    const message =
      "venue.yaml gives no cancel under panic, so a panic freezes and cancels nothing."
    const fix = `add to venue.yaml panic: [{operation: cancelAll, body: "…"}] and then run: countersign policy reload`
    return [lacks("rehearsal", message, fix)]
  }
  const rehearsed = rehearseCancels(files, keys)
  const ofAgents = agentsOf(keys)
  const wrong = [
    ...rehearsed.flatMap(unsigned),
    ...ofAgents.flatMap(locked),
    ...(await Promise.all(ofAgents.map((key) => mayCancel(key, line, { files, admin })))).flat(),
  ]
  if (wrong.length > 0) return wrong
  const said = rehearsed.map(({ line: { operation }, key }) => `${operation} by ${key ?? ""}`)
  const message = `Read, hashed and signed by a throw-away key in its place, and not sent: ${said.join(", ")}. By policy a bot of each may cancel too.`
  return [holds("rehearsal", message)]
}

function unsigned({ line: { operation }, key, why }: Rehearsed): readonly LiveLine[] {
  if (why === undefined) return []
  const message = `${operation} by ${key ?? "an agent"} can't be signed: ${why}`
  const fix = "fix venue.yaml, then run: countersign policy reload"
  return [lacks("rehearsal", message, fix)]
}

function locked(key: KeyView): readonly LiveLine[] {
  if (!key.locked) return []
  return [lacks("rehearsal", `${key.name} is locked, and signs nothing.`, "countersign unlock")]
}

type By = { readonly files: FileSet; readonly admin: Asking }

/** Asks the running daemon what it would make of the cancel, for each client that may use the key. */
async function mayCancel(
  key: KeyView,
  { operation, body }: PanicLine,
  { files: { profile }, admin }: By,
): Promise<readonly LiveLine[]> {
  const clients = await admin.call("listClients", {})
  const own = clients.filter(({ keys, revoked }) => !revoked && keys.includes(key.name))
  if (own.length === 0) {
    const fix = `countersign clients add bot --keys ${key.name}`
    return [lacks("rehearsal", `No client may use ${key.name}.`, fix)]
  }
  const call = {
    path: pathOf(operation, profile),
    body: Buffer.from(JSON.stringify(body)).toString("base64"),
    key: key.name,
  }
  const reports = await Promise.all(
    own.map(({ name: client }) => admin.call("explain", { ...call, client })),
  )
  if (reports.some(({ would_sign: wouldSign }) => wouldSign)) return []
  const [why = ""] = reports.map(({ refusal }) => refusal?.message ?? "")
  const message = `No bot may cancel with ${key.name}. ${why}`
  const fix = "allow cancels in a file of policies/, then run: countersign policy reload"
  return [lacks("rehearsal", message, fix)]
}

function pathOf(operation: PanicLine["operation"], { endpoints }: Profile): string {
  return endpoints.get(operation)?.path ?? ""
}
