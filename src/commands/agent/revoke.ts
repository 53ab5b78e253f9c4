import { confirmDeed } from "../cli/terminal.ts"
import { argument, flag } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import type { Admin } from "../installation/admin.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { sendSigned } from "./send-signed.ts"

/** `countersign agent revoke NAME`: at the venue, where its struct is in venue.yaml; then it never signs again. */
export const agentRevoke = adminCommand({
  changes: "installation",
  description: "end an agent key's approval at the venue, for good",
  examples: ["countersign agent revoke mm", "countersign agent revoke mm --yes"],
  options: { name: argument("<name>", "the agent key"), yes: flag("--yes", "don't ask") },
  keys: "needed",
  call: async (admin, { name, yes }, terminal) => {
    const left = await clientsWithoutOther(name, admin)
    const loss = left.length === 0 ? "" : ` Nothing else signs for ${left.join(", ")}.`
    if (!yes) await confirmDeed(terminal, `Revoke the agent key ${name} for good?${loss}`)
    else if (loss !== "") tell(terminal, loss.trim())
    const signed = await admin.call("revokeAgent", { agent: name })
    return sendSigned(signed, admin, `the revocation of ${name}`)
  },
  print: ({ record }, { name }) => [`${name} is revoked and never signs again (record ${record}).`],
})

/** The clients that nothing is signed for any more once this key has ended. */
async function clientsWithoutOther(
  name: string,
  admin: Pick<Admin, "call">,
): Promise<readonly string[]> {
  const keys = await admin.call("listKeys", {})
  const now = Date.now()
  const others = keys
    .filter(({ approval }) => approval === "unknown" || approval === "approved")
    .filter((key) => key.name !== name && now < (key.expires_at ?? Infinity))
    .map((key) => key.name)
  const clients = await admin.call("listClients", {})
  return clients
    .filter((client) => !client.revoked && client.keys.includes(name))
    .filter((client) => !client.keys.some((each) => others.includes(each)))
    .map((client) => client.name)
}
