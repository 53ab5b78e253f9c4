import { textOf, type Line } from "../../src/commands/cli/print.ts"

/** What is printed for people as it looks in a pipe: as wide as it is, without colour. */
export function inPipe(lines: readonly Line[]): string {
  return textOf(lines, { width: Infinity, hasColours: false })
}
