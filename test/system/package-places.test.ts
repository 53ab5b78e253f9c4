import { constants } from "node:fs"
import { cp } from "node:fs/promises"
import { join } from "node:path"
import { after, before } from "node:test"

import { installPacked, type Packed } from "../support/packed.ts"
import { signsInEveryPlace } from "../support/signs-in-every-place.ts"

let packed: Packed
before(async () => {
  packed = await installPacked()
})
after(() => packed.remove())

signsInEveryPlace("the npm package", async (root) => {
  const mode = constants.COPYFILE_FICLONE
  await cp(packed.prefix, root, { recursive: true, verbatimSymlinks: true, mode })
  return { root, program: join(root, "bin/countersign"), node: join(root, "bin/node") }
})
