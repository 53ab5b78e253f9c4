/** What may be logged of an error: its code or name, and where. Its message could quote input. */
export function errorFields(thrown: unknown): { readonly code: string; readonly at?: string } {
  if (!(thrown instanceof Error)) return { code: typeof thrown }
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name
  const frames = thrown.stack?.split("\n").filter((line) => line.startsWith("    at "))
  const at = frames?.slice(0, 4).join(" ").replaceAll(/\s+/g, " ").trim()
  return at === undefined ? { code } : { code, at }
}
