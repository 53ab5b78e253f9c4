type ConsoleEvent = "state" | "decisions" | "away" | "ended"

/** One event of a stream, as browsers read it (HTML §9.2.6). JSON has no line breaks of its own. */
export function eventText(event: ConsoleEvent, content: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(content)}\n\n`
}

/** A comment: it says nothing, so that the stream isn't silent. */
export const aliveText = ":\n\n"
