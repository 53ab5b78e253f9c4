/** Where a command line is at work, for the commands that its texts name. */
export type Place = {
  /** The words of the commands that take these options. */
  readonly names: ReadonlySet<string>
  /** The options that name the installation, as they were given; empty where none was. */
  readonly options: string
}

/** A text with `options` in each command that it names, so that a reader can type it as it stands. */
export function completeCommands(text: string, { names, options }: Place): string {
  if (options === "") return text
  return text.replaceAll(named, (command, ...words: readonly string[]) => {
    const [first = "", second = "", rest = ""] = words
    if (hasPlace.test(rest)) return command
    if (names.has(`${first}${second}`)) return `countersign ${first}${second} ${options}${rest}`
    return names.has(first) ? `countersign ${first} ${options}${second}${rest}` : command
  })
}

/** A command's one or two words, and what stands between it and the next. */
const named = /\bcountersign ([a-z][a-z-]*)( [a-z][a-z-]*|)((?:(?!\bcountersign )[^\n])*)/g

const hasPlace = / --(?:dir|config-dir|state-dir)\b/
