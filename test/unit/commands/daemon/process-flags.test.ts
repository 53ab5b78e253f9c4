import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readFlags } from "../../../../src/commands/daemon/process-flags.ts"

const cases = [
  {
    title: "grants a directory with all below it",
    directories: ["/a/d"],
    granted: ["/a/d/*"],
  },
  {
    title: "grants a file alone",
    files: ["/a/d.pass"],
    granted: ["/a/d.pass"],
  },
  {
    title: "grants what lies below another directory by itself",
    directories: ["/a/d", "/a/d/e"],
    granted: ["/a/d/*", "/a/d/e/*"],
  },
  {
    title: "grants a directory that is named twice by itself",
    directories: ["/a/d", "/a/d"],
    granted: ["/a/d/*", "/a/d/*"],
  },
  {
    title: "grants what holds a directory where another's path goes on with its own",
    directories: ["/a/d", "/b/c", "/a/d-2"],
    granted: ["/a/*", "/b/c/*", "/a/d-2/*"],
  },
  {
    title: "grants what holds a directory where a file's path goes on with its own",
    directories: ["/a/d"],
    files: ["/a/d.pass"],
    granted: ["/a/*", "/a/d.pass"],
  },
  {
    title: "grants all where a directory of the root has such a neighbour",
    directories: ["/d"],
    files: ["/d.pass"],
    granted: ["/*", "/d.pass"],
  },
]

describe("readFlags", () => {
  for (const { title, directories = [], files = [], granted } of cases) {
    it(title, () => {
      const flags = granted.map((path) => `--allow-fs-read=${path}`)
      assert.deepEqual(readFlags(directories, files), flags)
    })
  }
})
