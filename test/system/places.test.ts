import { copyFile, link } from "node:fs/promises"
import { join } from "node:path"

import { makeCheckout } from "../support/checkout.ts"
import { signsInEveryPlace } from "../support/signs-in-every-place.ts"

// With dependencies of its own: these lie in the checkout's path too.
signsInEveryPlace("a checkout", async (root) => {
  const program = await makeCheckout(root, "with its own")
  const node = join(root, "node")
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node)) // another disk
  return { root, program, node }
})
