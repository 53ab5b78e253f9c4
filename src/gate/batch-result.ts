import { z } from "zod"

/** The envelope of a refusal; docs/openapi.json has one for each code. */
export const refusedEnvelope = z
  .strictObject({
    code: z.string(),
    msg: z.string(),
    data: z.custom<object>(),
    trace_code: z.string(),
  })
  .readonly()

/** What `/sign` would answer to one request of a batch, its headers as members. Each is always there. */
export const batchResultSchema = z
  .strictObject({
    status: z.int().describe("What the HTTP status would be: 200 where it was signed."),
    record: z.string().nullable().describe("`Countersign-Record`."),
    repeat: z.boolean().describe("`Countersign-Repeat`."),
    expires_after: z.int().nullable().describe("Of the signature, in milliseconds."),
    retry_after: z.int().nullable().describe("`Retry-After`, in seconds."),
    body: z
      .string()
      .nullable()
      .describe(
        "The signed body as text, since not a byte of it may change on its way to the venue.",
      ),
    error: refusedEnvelope.nullable(),
  })
  .readonly()
export type BatchResult = z.infer<typeof batchResultSchema>
