import type { ServerResponse } from "node:http"

/** Where a stream goes, and what says that nobody reads it any more. */
export type StreamWay = { readonly response: ServerResponse; readonly signal: AbortSignal }

/** Resolves when the text has left for who reads it, or nobody does. */
export function written(text: string, { response, signal }: StreamWay): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || text === "") {
      resolve()
      return
    }
    const done = (): void => {
      signal.removeEventListener("abort", done)
      resolve()
    }
    signal.addEventListener("abort", done)
    response.write(text, done)
  })
}
