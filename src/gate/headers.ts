import type { IncomingMessage } from "node:http"

/**
 * Every value of a header, by its lower-case name, in the order sent. Node's `headers` drops a second Host or
 * Authorization, and its `headersDistinct` throws in some versions on a name like `constructor`.
 */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]
    if (sent?.length !== name.length || sent.toLowerCase() !== name) continue
    values.push(rawHeaders[index + 1] ?? "")
  }
  return values
}

/** The lower-case names of all headers, repeated ones as often as they came. */
export function headerNames(request: IncomingMessage): readonly string[] {
  return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
}
