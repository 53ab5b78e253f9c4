/** Characters that move a cursor, or reorder the letters around them. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text that others chose, with what could move the cursor or reorder letters written as `\u….` */
export function visible(text: string): string {
  return text.replace(unseen, (character) => character.split("").map(escaped).join(""))
}

/** The same of several lines, which stay apart. */
export function visibleLines(text: string): string {
  return text.split("\n").map(visible).join("\n")
}

/** One UTF-16 unit as JSON would escape it. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
}
