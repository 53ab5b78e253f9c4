import { adminCommand } from "./installation/admin-command.ts"
import { statusLines } from "./status/status-lines.ts"

/** `countersign status` */
export const status = adminCommand({
  description: "show the daemon's state, its keys, clients, limits and last refusals",
  examples: ["countersign status", "countersign status --json"],
  call: async (admin) => ({ daemon: admin.daemon, ...(await admin.call("status", {})) }),
  print: (answer) => statusLines(answer, Date.now()),
})
