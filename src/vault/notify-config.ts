import { z } from "zod"

/** Longer than any service's address with its token. */
const maxUrlChars = 2_048

const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"]

const webhook = z
  .string()
  .refine(isWebhook, "expected https://… (http only to loopback), without credentials and fragment")

/** `notify` of countersign.yaml. The address mostly has a token in it: whoever knows it can write there. */
export const notifySetting = z
  .strictObject({ webhook: webhook.optional() })
  .prefault({})
  .transform((written) => written.webhook)

function isWebhook(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || text.length > maxUrlChars || /[\s\\#]/.test(text)) return false
  const isLoopback = url.protocol === "http:" && loopbackHosts.includes(url.hostname)
  return (url.protocol === "https:" || isLoopback) && url.username + url.password === ""
}
