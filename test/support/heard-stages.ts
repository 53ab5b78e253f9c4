import { subscribe, unsubscribe } from "node:diagnostics_channel"

/** The stages that are said on a channel of this thread while `work` is done, in their order. */
export async function heardStages(
  channel: string,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const heard: string[] = []
  const listener = (message: unknown): void => {
    heard.push((message as { readonly stage: string }).stage)
  }
  subscribe(channel, listener)
  try {
    await work()
  } finally {
    unsubscribe(channel, listener)
  }
  return heard
}
