import { pathTo, venueMaps, type Json, type VenueMap } from "./venue-json-schema.ts"
import { venueKeys } from "./venue-keys.ts"

/** docs/venue.md with the table of each map's keys made anew. Each stands first under a heading of its own. */
export function withVenueTables(page: string): string {
  return venueMaps().reduce(withTable, page)
}

/** The heading over a map's table. */
export function titleOf(path: string): string {
  return path === "" ? "Top-level keys" : `Keys of ${path.replace(/^.*\./, "")}`
}

function withTable(page: string, each: VenueMap): string {
  const heading = `## ${titleOf(each.path)}\n`
  const section = page.indexOf(heading)
  const start = page.indexOf("\n|", section) + 1
  const next = page.indexOf("\n#", section + heading.length)
  const isThere = section >= 0 && start > 0 && (next < 0 || start < next)
  if (!isThere) throw new Error(`docs/venue.md has no table under ${heading}`)
  return `${page.slice(0, start)}${rows(each).join("\n")}${page.slice(page.indexOf("\n\n", start))}`
}

function rows({ path, keys, required }: VenueMap): readonly string[] {
  const cells = Object.entries(keys).map(([key, json]) => {
    const { form, meaning = "", without } = venueKeys[pathTo(path, key)] ?? {}
    const left = required.includes(key) ? ["the file is refused"] : defaultOf(json)
    const absent = [...left, ...(without === undefined ? [] : [without])].join("; ")
    return [`\`${key}\``, form ?? wordsOf(json), meaning, absent === "" ? "–" : absent]
  })
  return [
    ["key", "form", "what it is for", "left out"],
    ["---", "---", "---", "---"],
    ...cells,
  ].map((row) => `| ${row.join(" | ")} |`)
}

function defaultOf({ default: value }: Json): readonly string[] {
  return typeof value === "string" ? [`\`${value}\``] : []
}

function wordsOf({ enum: words, const: word }: Json): string {
  const all = (words ?? [word]) as readonly string[]
  return all.map((each) => `\`${each}\``).join(" or ")
}
