import { stringify } from "yaml"

/** A value as YAML in its block form, for people. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0 })
}
