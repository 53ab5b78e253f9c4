import type { CheckReport, HoldView } from "../../link/views/views.ts"
import { visible } from "../../std/visible.ts"
import { builtinEndpoints } from "../../venue/endpoints.ts"
import { entriesAfter, auditCallOf, parseFields } from "../audit/entries.ts"
import type { Admin } from "../installation/admin.ts"

/**
 * What whoever releases a request should know of what came after it: that its policy or its key is another than when it was
 * held, that its client's token has expired, and what it would be answered now. Each is a sentence. A release is judged as
 * all stands when it is used.
 */
export async function sinceHeld(
  hold: HoldView,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const changes = await changesSince(hold, admin)
  return [...changes, ...(await tokenNow(hold, admin)), ...(await judgedNow(hold, admin))]
}

/** Judging takes no token, and the bot's next call does. */
async function tokenNow(
  { client: name }: HoldView,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const clients = await admin.call("listClients", {})
  const isExpired = clients.some((client) => client.name === name && client.expired)
  if (!isExpired) return []
  return [
    `The token of ${name} has expired, so it is signed only once countersign clients renew ${name} gives it more time.`,
  ]
}

/** Acts that change a key, by the field of their row that names it. */
const keyActs: Readonly<Record<string, "name" | "from" | undefined>> = {
  key_targets_set: "name",
  key_removed: "name",
  key_replaced: "from",
  agent_approved: "name",
  agent_revoked: "name",
}

async function changesSince(
  hold: HoldView,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const call = auditCallOf(admin)
  const { entry } = await call("auditShow", { id: hold.id })
  if (entry === null) return ["It was held so long ago that what has changed since isn't known."]
  const said = new Set<string>()
  for await (const page of entriesAfter(call, entry.seq, { kind: "act" })) {
    for (const { row } of page) {
      const { act, ...fields } = parseFields(row)
      if (act === "set_activated") said.add("The policies have changed since it was held.")
      const name = fields[keyActs[String(act)] ?? ""]
      if (name === hold.key) said.add(`The key ${hold.key} has changed since it was held.`)
    }
  }
  return [...said]
}

/** What stands in its way now besides a person; nothing where that is all. */
async function judgedNow(hold: HoldView, admin: Pick<Admin, "call">): Promise<readonly string[]> {
  const report = await explained(hold, admin)
  if (report?.refusal === undefined) return []
  const { refusal } = report
  if (refusal === null) return ["By the policies of now it is signed without a release."]
  const isHeld = refusal.code === "approval_required"
  if (!isHeld)
    return [`As all stands now it would be refused all the same: ${visible(refusal.message)}`]
  return refusal.message.includes(`(${hold.policy}/${hold.rule},`)
    ? []
    : [`By the policies of now another entry holds it: ${visible(refusal.message)}`]
}

async function explained(
  { client, key, operation, body, target }: HoldView,
  admin: Pick<Admin, "call">,
): Promise<CheckReport | undefined> {
  const path = builtinEndpoints.find(({ id }) => id === operation)?.path
  if (path === undefined) return undefined
  const whole =
    target === null ? body : JSON.stringify({ ...JSON.parse(body), target_address: target })
  return admin.call("explain", { client, key, path, body: Buffer.from(whole).toString("base64") })
}
