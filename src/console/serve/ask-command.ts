import type { Socket } from "node:net"

import { speak } from "../../link/client.ts"
import { maxLineBytes, type Answer, type AskName, type Asks } from "../asks.ts"
import type * as z from "zod"

/** Asks the command that started this process. @throws {Fault} what it answers in place of an answer. */
export type Ask = <Name extends AskName>(
  name: Name,
  params: z.input<Asks[Name]["params"]>,
) => Promise<Answer<Name>>

/** Longer than the command waits for the vault. */
const deadlineMs = 30_000

/** Asks on the pipe; `onLost` hears when it closes. */
export function askOver(pipe: Socket, onLost: () => void): Ask {
  const command = speak(pipe, { deadlineMs, maxBytes: maxLineBytes.answer }, onLost)
  return async <Name extends AskName>(name: Name, params: z.input<Asks[Name]["params"]>) =>
    // The command parsed its answer by the schema.
    (await command.call(name, params)) as Answer<Name>
}
