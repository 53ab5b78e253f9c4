import { channel } from "node:diagnostics_channel"

/** What is heard on a channel of stages. */
export type StageMessage = { readonly stage: string }

/**
 * Opens a channel of `node:diagnostics_channel` on which the program says, within the same turn, that a
 * stage of its work is over. It tells no more than that, and is no more than a look while nobody listens.
 */
export function openStages(name: string): (stage: string) => void {
  const stages = channel(name)
  return (stage) => {
    if (!stages.hasSubscribers) return
    const message: StageMessage = { stage }
    stages.publish(message)
  }
}
