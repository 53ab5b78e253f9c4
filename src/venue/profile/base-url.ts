import { err, ok, type Result } from "../../std/result.ts"

const urlPattern = /^https?:\/\/[^/?#@\\\s]+(?:\/[^?#\\\s]*)?$/i
const hiddenSteps = /\/\/|%2e|%2f|%5c|(?:^|\/)\.\.?(?:\/|$)/i
const loopbackHost = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Parses `base_url` and drops its trailing slash. The error is a sentence that says what to write. */
export function parseBaseUrl(text: string): Result<string, string> {
  if (!urlPattern.test(text) || !URL.canParse(text)) {
    return err(
      "base_url must be https://host[:port][/path], without credentials, query or fragment",
    )
  }
  const afterScheme = text.slice(text.indexOf("//") + 2)
  const slash = afterScheme.indexOf("/")
  const path = slash === -1 ? "" : afterScheme.slice(slash)
  if (hiddenSteps.test(path)) {
    return err("the path of base_url can't hold .., . or //, plain or escaped; write it out")
  }
  const url = new URL(text)
  if (url.protocol === "http:" && !loopbackHost.test(url.hostname)) {
    return err(
      "base_url is http, which is only for loopback (127.0.0.1, [::1], localhost); use https",
    )
  }
  return ok(`${url.origin}${url.pathname}`.replace(/\/$/, ""))
}
