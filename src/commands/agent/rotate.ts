import type { Command } from "commander"

import { command, runs, withExamples, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { withVault } from "../with-vault.ts"
import {
  accessWithKeys,
  untilText,
  withPassphrase,
  withTerm,
  type AgentOptions,
} from "./agent-options.ts"
import { rotateKey, type RotateAsk, type Rotation } from "./rotate-key.ts"

type RotateOptions = AgentOptions & Omit<RotateAsk, "name">

/** `countersign agent rotate NAME`: another agent key in its place, without a bot noticing. */
export function agentRotate(): Command {
  const made = command(
    "rotate",
    "put a new agent key in a key's place: made, approved, clients switched, the old one ended",
  )
    .argument("<name>", "the agent key that is replaced")
    .option("--to <name>", "the key that takes its place; without it NAME-2, NAME-3, … is made")
    .option("--prepare", "stop once the new key is approved; the same command goes on later")
  withExamples(
    made,
    "countersign agent rotate mm --valid-days 30",
    "countersign agent rotate mm --prepare --valid-days 30",
  )
  return runs<RotateOptions>(
    withJson(withInstallation(withPassphrase(withTerm(made)))),
    async (options, name = "") => {
      const { to, prepare, label, validDays } = options
      const days = validDays === undefined ? {} : { validDays }
      const rotation = await withVault(accessWithKeys(options), (admin) =>
        rotateKey(admin, { name, to, prepare, label, ...days }),
      )
      print(rotation, options, (done) => rotationLines(done, prepare === true))
    },
  )
}

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
