/** A fenced block of a page. */
export type PageBlock = {
  /** The heading that it stands under. */
  readonly title: string
  readonly language: string
  readonly text: string
}

/** Every fenced block of a page, in order. */
export function pageBlocks(page: string): readonly PageBlock[] {
  let title = ""
  return [...page.matchAll(/^#+ (.+)$|^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, heading, language = "", text]) => {
      title = heading ?? title
      return text === undefined ? [] : [{ title, language, text }]
    },
  )
}

/** The commands of a block of shell lines: whole lines, those that go on joined, without comments and here-documents. */
export function commandLines(block: string): readonly string[] {
  return block
    .replaceAll(/<<'(\w+)'.*\n[\s\S]*?^\1$/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+# .*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
}
