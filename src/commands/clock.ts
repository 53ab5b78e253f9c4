import { utcText } from "../std/time/time-words.ts"
import { tell } from "./cli/print.ts"
import { agreeToShown } from "./cli/terminal.ts"
import { adminCommand, yesOption } from "./installation/installation-command.ts"

/** `countersign clock accept` */
export const clockAccept = adminCommand({
  changes: "installation",
  description: "trust the clock as it is now, after you have checked it",
  notes:
    "At a terminal it shows what the clock says and asks; one that was set by then isn't trusted.",
  examples: ["countersign clock accept"],
  options: yesOption,
  call: async (admin, { yes }, terminal) => {
    const { now, offset_ms, why } = await admin.call("lookAtClock", {})
    tell(terminal, why)
    await agreeToShown(terminal, {
      yes,
      question: `It says ${utcText(now)}. Is that right?`,
    })
    return admin.call("acceptClock", { offset_ms })
  },
  print: ({ now }) => [`The clock is trusted: it says ${utcText(now)}.`],
})
