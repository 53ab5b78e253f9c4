import type { Subject } from "../judged/judged-order.ts"
import { patternMatcher } from "./matcher.ts"

export const label = patternMatcher({
  key: "label",
  meaning: "A regular expression for approveAgent's whole label.",
  example: "bot-[0-9]+",
  unreadable: "another operation's: unreadable",
  reason: "label_not_allowed",
  speaksOf: new Set(["approveAgent"]),
  // Only approveAgent's label is documented; another operation's is read by `where`.
  read: ({ request: { payload } }: Subject) =>
    payload.kind === "approve_agent" ? [payload.approval.label] : undefined,
})
