/** Characters that move a cursor, or reorder the letters around them. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Makes text from others safe to show: characters that move the cursor or reorder letters become `\u…`. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => character.split("").map(escaped).join(""))
}

/** Does the same for several lines and keeps their line ends. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n")
}

/** One UTF-16 unit as JSON would escape it. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
