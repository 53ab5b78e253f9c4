/** What a text says in JSON; `undefined` where it isn't JSON. No cause is kept: a SyntaxError's message quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
