import { visible } from "../../std/visible.ts"

/** What a request is answered. */
export type Reply = {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Refused = Reply & {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 500 | 503
}

/** An answer to the page. */
export function told(content: object | null, headers: Reply["headers"] = {}): Reply {
  return { status: 200, type: jsonType, text: visible(JSON.stringify(content)), headers }
}

/** No, and why, in a sentence for a person. */
export function refused(
  status: Refused["status"],
  why: string,
  headers: Reply["headers"] = {},
): Refused {
  return { status, type: jsonType, text: visible(JSON.stringify({ why })), headers }
}

const jsonType = "application/json; charset=utf-8"
