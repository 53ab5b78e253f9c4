import type { IncomingMessage } from "node:http"

/** Every value of a header in the order sent. Node's own `headers` drops a second Host or Authorization. */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "")
  }
  return values
}

/** The lower-case names of all headers, repeated ones as often as they came. */
export function headerNames(request: IncomingMessage): readonly string[] {
  return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
}
