import { format } from "prettier"

import { shownHosts, type Walked, type WalkedPart } from "./walk.ts"

/** Where the page is in the repository. */
export const walkPagePath = "docs/walk.md"

/** The page that shows a walk. The only changes are the token, the ports and the home directory. */
export function walkPage(walked: Walked): Promise<string> {
  const parts = walked.parts.map((part) => partText(part, walked))
  return format([beginning, ...parts, end].join("\n"), { parser: "markdown" })
}

/**
 * A page without what differs from run to run: addresses, hashes, signatures, ids, nonces, times and the
 * widths of columns that hold them.
 */
export function stableText(page: string): string {
  return page
    .replaceAll(/\b0x[0-9a-f]{40,}\b/gi, "0x…")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "…")
    .replaceAll(/"v":(?:27|28)\b/g, `"v":…`)
    .replaceAll(/\brec_[0-9A-Z]{26}\b/g, "rec_…")
    .replaceAll(/\b\d{13}\b/g, "(ms)")
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{3})?)?Z?)?/g, "(time)")
    .replaceAll(/\bnow\b|\b\d+ (?:s|min) ago\b/g, "(lately)")
    .replaceAll(/(?<=vault's pid is )\d+/g, "(pid)")
    .replaceAll(/(?<=\S) {2,}/g, "  ")
}

const beginning = `# A walk to a signed order

From an empty directory, in three terminals. What is typed stands after \`$\` and \`>\`, and is the
[README's](../README.md#a-first-order); all else is what the terminal showed. Passphrases are typed too, and shown as \`▪\`.
Before it comes \`git clone\` of this repository and, in the checkout, \`npm ci\`.

This page is written by a program that walks (\`npm run walk\`), and a test walks again to see that it is still true.
The token is cut out, and the ports are those that are taken by default.
`

const end = `
Ctrl-C in the second terminal ends the daemon, and in the first the sandbox.
`

function partText({ title, says, screen }: WalkedPart, walked: Walked): string {
  return `## ${title}\n\n${says}\n\n\`\`\`text\n${shown(screen, walked)}\n\`\`\`\n`
}

function shown(screen: string, { home, hosts, token }: Walked): string {
  return screen
    .replaceAll(token, "cs_…")
    .replaceAll(hosts.daemon, shownHosts.daemon)
    .replaceAll(hosts.venue, shownHosts.venue)
    .replaceAll(home, "~")
}
