import { Fault } from "../../std/fault.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Resolves once a person has agreed to what can't be undone.
 *
 * @throws {Fault} `usage` where there is nobody to ask, `cancelled` on no, Ctrl-C or Ctrl-D.
 */
export async function confirmDeed({ prompts }: Terminal, message: string): Promise<void> {
  prompts.assertCanAsk("agree to it with --yes")
  if (!(await prompts.confirm(message))) throw new Fault("cancelled", "Nothing was done.")
}

/**
 * As {@link confirmDeed}, of what was shown just now and what the call will carry. Where there is nobody to ask, a script's
 * word holds for what stands as it is run.
 */
export async function agreeToShown(
  terminal: Terminal,
  { yes, question }: { readonly yes: boolean; readonly question: string },
): Promise<void> {
  if (!yes && terminal.prompts.canAsk()) await confirmDeed(terminal, question)
}
