import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { makeInstallation, serve } from "../support/countersign.ts"
import { childRunning, killAllNaming } from "../support/process-tree.ts"

/** What the dynamic loader, libc, OpenSSL and Node take files and code from, and one that nobody knows yet. */
const loading = {
  LD_PRELOAD: "",
  LD_AUDIT: "",
  LD_LIBRARY_PATH: "/nowhere",
  GLIBC_TUNABLES: "glibc.malloc.check=0",
  GCONV_PATH: "/nowhere",
  OPENSSL_CONF: "/dev/null",
  OPENSSL_MODULES: "/nowhere",
  OPENSSL_ENGINES: "/nowhere",
  SSL_CERT_FILE: "/nowhere/ca.pem",
  SSLKEYLOGFILE: "/nowhere/keys",
  NODE_OPTIONS: "--no-deprecation",
  NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem",
  SOMETHING_NEW: "1",
}

describe("the environment of countersign serve", { timeout: 60_000 }, () => {
  it("isn't passed on to gate and vault, but for what they read", async (t) => {
    const installation = await makeInstallation(["--backend", "memory"])
    t.after(() => installation.remove())
    const environment = { ...loading, TZ: "UTC", COUNTERSIGN_LOG_LEVEL: "warn" }
    const daemon = await serve(installation.dir, [], { environment })
    t.after(() => killAllNaming(installation.dir))
    for (const entry of ["vault/main", "gate/main"]) {
      const { environment: passedOn } = await childRunning(daemon.pid, entry)
      const names = passedOn.split("\0").map((line) => line.split("=")[0] ?? "")
      assert.deepEqual(
        Object.keys(loading).filter((name) => names.includes(name)),
        [],
        entry,
      )
      assert.ok(names.includes("TZ") && names.includes("COUNTERSIGN_LOG_LEVEL"), entry)
    }
    assert.equal(await daemon.stop(), 0)
  })
})
