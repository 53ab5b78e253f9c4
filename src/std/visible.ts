/** Characters that move a cursor, or reorder the letters around them. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Makes text from others safe to show: characters that move the cursor or reorder letters become `\u…`. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => character.split("").map(escaped).join(""))
}

/** Somebody else's words, so that nobody takes them for ours: on one line, in quotation marks, and not too many. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text))
}

const maxQuoted = 200

/** A word as a shell takes it for one, whatever is in it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Makes several lines safe to show, and keeps their line ends. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n")
}

/** One UTF-16 unit as JSON would escape it. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
