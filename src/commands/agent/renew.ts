import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { daysOf, termOptions, untilText } from "./agent-options.ts"
import { sendSigned } from "./send-signed.ts"

/** `countersign agent renew NAME`: where the venue's struct is in venue.yaml. */
export const agentRenew = adminCommand({
  changes: "installation",
  description: "extend an agent key's approval at the venue",
  examples: ["countersign agent renew mm --valid-days 30"],
  options: { name: argument("<name>", "the agent key"), ...termOptions },
  keys: "needed",
  call: async (admin, { name, label = name, validDays }) => {
    const ask = { agent: name, validDays: daysOf({ validDays }), label }
    return sendSigned(await admin.call("renewAgent", ask), admin, `the renewal of ${name}`)
  },
  print: ({ record, key }, { name }) => [
    `${name} is approved ${untilText(key)} (record ${record}).`,
  ],
})
