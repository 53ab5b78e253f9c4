import type { IncomingMessage } from "node:http"

/** Every value of a header, by its lower-case name, in the order sent. Node's `headers` drops a second Host or Authorization. */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  return request.headersDistinct[name] ?? []
}

/** The lower-case names of all headers, repeated ones as often as they came. */
export function headerNames(request: IncomingMessage): readonly string[] {
  return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
}
