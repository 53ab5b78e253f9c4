import type { IncomingMessage } from "node:http"

/**
 * Reads the whole body: `too_large` as soon as it exceeds `maxBytes`, `gone` when the client leaves.
 *
 * What is left of a body that is too large is received and thrown away, so that the client can read
 * its answer; the server's request timeout bounds it.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | "too_large" | "gone"> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let receivedBytes = 0

    function finish(result: Buffer | "too_large" | "gone"): void {
      request.off("data", take)
      request.resume()
      resolve(result)
    }

    function take(chunk: Buffer): void {
      receivedBytes += chunk.length
      chunks.push(chunk)
      if (receivedBytes > maxBytes) finish("too_large")
    }

    request.on("data", take)
    request.once("end", () => finish(Buffer.concat(chunks)))
    request.once("error", () => finish("gone"))
    request.once("close", () => finish("gone"))
  })
}
