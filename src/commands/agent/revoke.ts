import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { sendSigned } from "./send-signed.ts"

/** `countersign agent revoke NAME`: at the venue, where its struct is in venue.yaml; then it never signs again. */
export const agentRevoke = adminCommand({
  changes: "installation",
  description: "end an agent key's approval at the venue",
  examples: ["countersign agent revoke mm"],
  options: { name: argument("<name>", "the agent key") },
  keys: "needed",
  call: async (admin, { name }) => {
    const signed = await admin.call("revokeAgent", { agent: name })
    return sendSigned(signed, admin, `the revocation of ${name}`)
  },
  print: ({ record }, { name }) => [`${name} is revoked and never signs again (record ${record}).`],
})
