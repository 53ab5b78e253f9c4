export type Post = {
  /** Of the server, without path. */
  readonly url: string
  readonly path: string
  readonly token?: string
  readonly body: string
}

/** The bytes of a POST, as a bot's HTTP client sends it. */
export function rawPost({ url, path, token, body }: Post): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join("\r\n")}\r\n\r\n${body}`
}
