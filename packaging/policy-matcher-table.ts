import { allMatchers } from "../src/vault/policy/match/matchers.ts"
import { policyJsonSchema } from "./policy-json-schema.ts"

const heading = "## Matchers: in every list\n"

/** docs/policy-reference.md with its table of matchers made anew from the matchers themselves. */
export function withMatcherTable(page: string): string {
  const start = page.indexOf("| key", page.indexOf(heading))
  const end = page.indexOf("\n\n", start)
  if (!page.includes(heading) || start < 0) throw new Error(`no table under ${heading}`)
  return `${page.slice(0, start)}${rows(page).join("\n")}${page.slice(end)}`
}

type Key = {
  readonly description: string
  readonly items?: { readonly enum?: readonly string[] }
}

function rows(page: string): readonly string[] {
  const keys = entryKeys()
  const cells = [
    ["key", "type", "meaning", "when it can't be read"],
    ["---", "---", "---", "---"],
    ["`endpoints`", "operation ids", keys["endpoints"]?.description, "–"],
    ...allMatchers.map(([, { key, written, unreadable = "–", meaning }]) => {
      const below = page.includes(`### Keys of ${key}\n`) ? ` [Its keys](#keys-of-${key}).` : ""
      return [`\`${key}\``, written ?? wordsOf(keys[key]), `${meaning}${below}`, unreadable]
    }),
  ]
  return cells.map((row) => `| ${row.join(" | ")} |`)
}

function wordsOf(key: Key | undefined): string {
  return (key?.items?.enum ?? []).map((word) => `\`${word}\``).join(", ")
}

/** The keys of an entry of `deny`, as editors know them. */
function entryKeys(): Readonly<Record<string, Key>> {
  const { properties } = policyJsonSchema() as {
    readonly properties: {
      readonly deny: { readonly items: { readonly properties: Readonly<Record<string, Key>> } }
    }
  }
  return properties.deny.items.properties
}
