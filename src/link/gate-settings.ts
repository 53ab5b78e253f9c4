import * as z from "zod"

/** How the venue is reached. Nothing in it is secret. */
export type UpstreamSettings = {
  readonly baseUrl: string
  /** PEM of the authorities to trust in place of the system's. */
  readonly ca: string | null
  /** `http://host:port`: where connections to an https venue are tunnelled through. */
  readonly proxy: string | null
  /** From a request's turn to the last byte of its answer. */
  readonly deadlineMs: number
}

/** What of an installation's configuration whoever sends to the venue must know. */
export type GateSettings = {
  /** `null` where no `base_url` is configured. */
  readonly upstream: UpstreamSettings | null
  /** Where what paper keys sign is sent; none without a venue-paper.yaml. */
  readonly paper?: UpstreamSettings | null
  /** Further names that `Host` may carry, without port. */
  readonly allowedHosts: readonly string[]
  /** Between two checks of what was signed last, which keep the way warm; none if left out. */
  readonly keepWarmMs?: number | undefined
}

const word = z.string().regex(/^\w[\w.-]{0,63}$/, "expected 1 to 64 of A-Z a-z 0-9 . _ -, no path")

/** What {@link isWebhookUrl} takes, for the sentence that refuses the rest. */
export const webhookUrlForm = "expected https://…, or http to loopback; no credentials, no fragment"

const common = {
  name: word,
  /** The least that it hears of. */
  severity: z.enum(["warning", "critical"]).default("warning"),
  /** Whether it is told what held requests ask for. */
  details: z.enum(["true", "false"], "expected true or false").optional(),
}

/** The file, of those that the gate has, with the address that is posted to. */
const file = { url_file: word }

/** The file with what `json` is signed by, or with the access token of `ntfy`. */
const secret = { secret_file: word.optional() }

/** An address without a secret may stand here by itself. */
const plainUrl = z.string().refine(isWebhookUrl, webhookUrlForm)
const url = plainUrl.optional()

/** PagerDuty's in the United States; events.eu.pagerduty.com is that in Europe. Whom it is for, its routing key says alone. */
const pagerDutyUrl = "https://events.pagerduty.com/v2/enqueue"

const target = z.discriminatedUnion("form", [
  z.strictObject({ ...common, ...file, form: z.enum(["slack", "telegram"]) }),
  z.strictObject({
    ...common,
    form: z.literal("pagerduty"),
    /** The file with the routing key. */
    secret_file: word,
    url: plainUrl.default(pagerDutyUrl),
  }),
  z.strictObject({ ...common, ...file, ...secret, form: z.literal("ntfy") }),
  z
    .strictObject({ ...common, ...secret, form: z.literal("json"), url, url_file: word.optional() })
    .refine((it) => (it.url === undefined) !== (it.url_file === undefined), "expected url_file"),
])

/** Where alarms are told, by the keys of countersign.yaml. */
export type NotifyTarget = Readonly<z.infer<typeof target>>

const targets = z
  .array(target, "expected a list of targets")
  .max(8, "expected at most 8 targets")
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "two have one name")

/** All that there was in earlier versions is one plain target. */
const webhook = z
  .strictObject({ webhook: z.string().optional() })
  .transform(({ webhook: it }) =>
    it === undefined ? [] : [{ name: "webhook", form: "json", url: it }],
  )

/** `notify` of countersign.yaml. */
export const notifySetting = z.union([webhook, z.unknown()]).pipe(targets).prefault([])

/** Whether messages may be posted there. The longest is longer than any service's address with its token. */
export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || text.length > 2_048 || /[\s\\#]/.test(text)) return false
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isHere)
  return isSafe && url.username + url.password === ""
}
