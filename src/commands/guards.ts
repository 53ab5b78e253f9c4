import { Fault } from "../std/fault.ts"
import { parseDurationMs } from "../std/time/duration.ts"
import { agoWords, utcText } from "../std/time/time-words.ts"
import { argument, option, parsed, required, withDefault } from "./cli/command.ts"
import { agreeToShown } from "./cli/terminal.ts"
import { adminCommand, yesOption } from "./installation/installation-command.ts"

const account = argument("<account>", "its name in venue.yaml")
const reason = required(option("--reason <words>", "why, for the record"))

/** `countersign guards rearm NAME --allow X --for 12h --reason …` */
export const guardsRearm = adminCommand({
  changes: "installation",
  description: "let an account lose so much more for a while, after a guard has tripped",
  notes:
    "What the guard froze stays frozen: countersign thaw. A guard on daily_loss goes by the files again with the next day.",
  examples: ["countersign guards rearm day --allow 200 --reason 'the feed was wrong'"],
  options: {
    guard: argument("<guard>", "its name, or policy/name"),
    allow: required(option("--allow <amount>", "how much more than now, in quote units")),
    forMs: parsed(
      withDefault(option("--for <duration>", "how long, like 12h; at most 31d"), "24h"),
      parseDurationMs,
      "a duration like 12h",
    ),
    account: option("--account <name>", "where the guard is for several"),
    reason,
  },
  call: (admin, { guard, allow, forMs, account: of, reason: why }) =>
    admin.call("rearmGuard", { guard, allow, forMs, account: of, reason: why }),
  print: ({ guard, account: name, max, until }) => [
    `${guard} lets ${name} lose ${max} until ${utcText(until)}.`,
  ],
})

/** `countersign guards anchor ACCOUNT` */
export const guardsAnchor = adminCommand({
  changes: "installation",
  description: "count losses of an account from what it has now, whatever was before",
  notes:
    "It shows what the last reading says and asks: compare it with the venue's own page. No guard of the account stands tripped then.",
  examples: ["countersign guards anchor main --reason 'moved to another account mode'"],
  options: { account, reason, ...yesOption },
  call: async (admin, { account: name, reason: why, yes }, terminal) => {
    const anchor = { account: name, reason: why }
    const shown = await admin.call("anchorAccount", anchor)
    await agreeToShown(terminal, {
      yes,
      question: `${name} has ${shown.equity} (read ${agoWords(shown.read_at, Date.now())}). Is that what the venue's own page says?`,
    })
    const done = await admin.call("anchorAccount", { ...anchor, agreed: shown.equity })
    if (done.isAnchored) return done
    throw new Fault("usage", `${name} has ${done.equity} by now; look and ask again.`)
  },
  print: ({ account: name, equity }) => [`Losses of ${name} count from ${equity} on.`],
})

/** `countersign guards flow ACCOUNT in|out AMOUNT --reason …` */
export const guardsFlow = adminCommand({
  changes: "installation",
  description:
    "say what was paid into an account, or out of it, so that it is neither profit nor loss",
  notes: "Say it once the account's equity shows it, as countersign limits show says.",
  examples: ["countersign guards flow main out 5000 --reason 'to the bank'"],
  options: {
    account,
    direction: argument("<direction>", "in or out"),
    amount: argument("<amount>", "how much, in quote units"),
    reason,
  },
  call: async (admin, { account: name, direction, amount, reason: why }) => {
    if (direction !== "in" && direction !== "out") {
      throw new Fault("usage", `Write in or out in place of ${direction}.`)
    }
    const flow = { account: name, direction, amount, reason: why } as const
    return { ...(await admin.call("tellFlow", flow)), direction }
  },
  print: ({ account: name, direction }) => [
    direction === "in"
      ? `What was paid into ${name} makes no loss smaller.`
      : `What was paid out of ${name} is no loss.`,
  ],
})
