import { readFileSync } from "node:fs"

/** The text of a template with each `@NAME@` replaced. @throws when it has a name that isn't given. */
export function fillIn(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(new URL(`templates/${name}`, import.meta.url), "utf8")
  return text.replaceAll(/@([A-Z_]+)@/g, (_, key: string) => {
    const value = values[key]
    if (value === undefined) throw new Error(`templates/${name} has an unknown @${key}@.`)
    return value
  })
}
