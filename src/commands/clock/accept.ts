import { adminCommand } from "../installation/admin-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign clock accept` */
export const clockAccept = adminCommand({
  changes: "installation",
  description: "trust the clock as it is now, after you have checked it",
  examples: ["countersign clock accept"],
  call: (admin) => admin.call("acceptClock", {}),
  print: ({ now }) => [`The clock is trusted: it says ${utcText(now)}.`],
})
