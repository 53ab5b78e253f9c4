import { argument, flag, option } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { termOptions, untilText } from "./agent-options.ts"
import { rotateKey, type Rotation } from "./rotate-key.ts"

/** `countersign agent rotate NAME`: another agent key in its place, without a bot noticing. */
export const agentRotate = adminCommand({
  changes: "installation",
  description:
    "replace an agent key: make and approve a new one, switch the clients, end the old one",
  examples: [
    "countersign agent rotate mm --valid-days 30",
    "countersign agent rotate mm --prepare --valid-days 30",
  ],
  options: {
    name: argument("<name>", "the agent key that is replaced"),
    to: option("--to <name>", "the key that takes its place; left out, NAME-2, NAME-3, … is made"),
    prepare: flag(
      "--prepare",
      "stop once the new key is approved; run it without --prepare to go on",
    ),
    ...termOptions,
  },
  keys: "needed",
  call: (admin, options, terminal) => rotateKey(admin, options, (line) => tell(terminal, line)),
  print: (rotation, { prepare }) => rotationLines(rotation, prepare),
})

function rotationLines({ from, to, revoked }: Rotation, isPrepared: boolean): readonly string[] {
  if (isPrepared && to !== null) {
    return [
      `${to.name} is ready to take the place of ${from.name}; countersign agent rotate ${from.name} switches the clients.`,
    ]
  }
  const old = revoked
    ? `${from.name} is revoked: neither this daemon nor the venue takes it any more.`
    : `${from.name} never signs here again, but the venue takes it ${untilText(from)}: keep its back-ups safe until then.`
  return to === null ? [old] : [`${to.name} signs in place of ${from.name}.`, old]
}
