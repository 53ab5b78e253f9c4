import { dialAdmin } from "../../../src/commands/dial-admin.ts"
import type { Site } from "./make-site.ts"
import type { Daemon } from "./serve-site.ts"

/** Logs in as the console's page does, and reads what it is sent. Resolves when the first of it came; what it gives closes it. */
export async function openConsole(
  { dir }: Pick<Site, "dir">,
  { url }: Pick<Daemon, "url">,
): Promise<() => Promise<void>> {
  const admin = await dialAdmin({ configDir: dir, stateDir: dir })
  if (admin === undefined) throw new Error("the daemon doesn't answer")
  const { secret } = await admin.call("linkConsole", {})
  admin.close()
  const headers = { origin: url, "content-type": "application/json" }
  const login = await fetch(`${url}/console/session`, {
    ...{ method: "POST", headers, body: JSON.stringify({ secret }) },
  })
  const { data } = (await login.json()) as { readonly data: { readonly proof: string } }
  const [cookie = ""] = login.headers.getSetCookie().map((each) => each.split(";")[0] ?? "")
  const leave = new AbortController()
  const stream = await fetch(`${url}/console/events`, {
    headers: { cookie, "countersign-console": data.proof, "sec-fetch-site": "same-origin" },
    signal: leave.signal,
  })
  if (stream.body === null || !stream.ok) throw new Error(`the console answered ${stream.status}`)
  const reader = stream.body.getReader()
  await reader.read()
  const reading = readOn(reader)
  return async () => {
    leave.abort()
    await reading
  }
}

/** Until it is aborted. */
async function readOn(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // aborted
  }
}
