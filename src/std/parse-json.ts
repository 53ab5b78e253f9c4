/** Parses JSON; `undefined` if the text isn't JSON. The cause isn't kept: a SyntaxError quotes the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
