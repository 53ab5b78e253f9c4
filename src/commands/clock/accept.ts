import { adminCommand } from "../installation/admin-command.ts"

/** `countersign clock accept` */
export const clockAccept = adminCommand({
  changes: "installation",
  description: "believe the clock as it is now, after you have looked at it",
  examples: ["countersign clock accept"],
  call: (admin) => admin.call("acceptClock", {}),
  print: ({ now }) => [`The clock is believed: it is ${new Date(now).toISOString()}.`],
})
