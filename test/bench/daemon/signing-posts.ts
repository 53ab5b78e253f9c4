import { rawPost } from "../load/post.ts"
import { orders, ordersPath } from "../order.ts"
import type { Daemon } from "./serve-site.ts"

/** Requests for a signature that go through all tokens and all orders in turn; with `""` they are forwarded too. */
export function signingPosts(
  { url, tokens }: Pick<Daemon, "url" | "tokens">,
  prefix: "/sign" | "/check" | "" = "/sign",
): readonly string[] {
  const path = `${prefix}${ordersPath}`
  return orders.flatMap((order) =>
    tokens.map((token) => rawPost({ url, path, token, body: JSON.stringify(order) })),
  )
}
