// `npm run walk`: walks for real and writes docs/walk.md, if anything but what differs from run to run changed.

import { existsSync, writeFileSync } from "node:fs"

import { readRepositoryFile, repositoryRoot } from "./markdown.ts"
import { stableText, walkPage, walkPagePath } from "./walk-page.ts"
import { walk } from "./walk.ts"

const path = `${repositoryRoot}/${walkPagePath}`
const before = existsSync(path) ? readRepositoryFile(walkPagePath) : ""
const page = await walkPage(await walk())
if (stableText(page) !== stableText(before)) writeFileSync(path, page)
